// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions by an operator that is associative but not commutative, in one
// pass and one launch. Order matters, so a thread has to go through
// neighbouring elements, which by itself would read memory in the worst of
// ways. Therefore a warp fetches a tile of 32 rows into shared memory, a piece
// of 256 bytes of every row at a time, and each thread then goes through its
// row. What the threads, warps, blocks and groups of blocks come to is combined
// in pairs of neighbours: always the one binary tree over the rows, whatever
// the sizes of these are.
//
// A fold is a type with
//
//   Element
//   State           what a thread keeps while it goes through a row
//   Value           what becomes of it; both trivially copyable, and Value
//                   consists of whole words
//   State Begin()
//   AddPiece(state, piece)  takes in the vectors of a whole piece
//   AddSome(state, elements, count)   the same where the array begins or ends
//   Value Finish(state, row)          the row has this number
//   Combine(a, b)   the value of what a and b are the values of, in that order

#ifndef CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_
#define CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "backends/cuda/async_copy.cuh"
#include "backends/cuda/last_block.cuh"
#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"

namespace concord {

// Of a Hopper multiprocessor's 228 KiB, six blocks of 34 KiB take most. Small
// blocks, because one that combines its values fetches nothing meanwhile.
inline constexpr int kFoldWarps = 4;
inline constexpr int kFoldThreads = kFoldWarps * kWarpSize;
inline constexpr int kFoldBlocksPerMultiprocessor = 6;

inline constexpr int kPieceVectors = 16;
inline constexpr int kPieceBytes = kPieceVectors * kVectorBytes;

// Pieces are one vector further apart than they are long: so eight threads that
// read a vector each of their rows do not meet in the same banks.
inline constexpr int kPieceStride = kPieceVectors + 1;
inline constexpr int kFoldSharedBytes =
    kFoldThreads * kPieceStride * kVectorBytes;

template <typename T>
inline constexpr int64_t kPieceElements = kPieceVectors* Vector<T>::kLanes;

// A warp's share of the array: so many pieces of 32 rows, as rows of several
// pieces or as several tiles, one after the other. Many make few values to
// combine, but few blocks: at 1 GiB 1, 2, 4 and 8 tiles of one piece took 309,
// 278, 271 and 275 us, at 256 MiB 90, 84, 83 and 93.
inline constexpr int kMostPiecesOfWarp = 4;
inline constexpr int kMostChunkBytes =
    kMostPiecesOfWarp * kFoldThreads * kPieceBytes;

// How an array is cut: a block for each chunk of kFoldWarps * tiles_of_warp
// tiles; kFoldThreads neighbouring values make a group, of chunks, of groups of
// chunks, and so on.
struct FoldPlan {
  int pieces_of_row = 1;
  int tiles_of_warp = 1;
  int64_t chunks = 0;
  // All levels together.
  int64_t values = 0;
  int64_t groups = 0;
};

template <typename T>
__host__ __device__ constexpr int64_t RowElements(const FoldPlan& plan) {
  return plan.pieces_of_row * kPieceElements<T>;
}
template <typename T>
__host__ __device__ constexpr int64_t TileElements(const FoldPlan& plan) {
  return kWarpSize * RowElements<T>(plan);
}
template <typename T>
__host__ __device__ constexpr int64_t TilesOf(const FoldPlan& plan,
                                              int64_t end) {
  return (end + TileElements<T>(plan) - 1) / TileElements<T>(plan);
}

// For elements [0, end). Rows are as long as is good, or of `fixed_row` pieces
// where the caller defines them. As long as a warp's share is more than a piece
// of each row, multiprocessors have two blocks, one after the other, for each
// that they can hold.
template <typename T>
FoldPlan PlanFold(int64_t end, int multiprocessors, int fixed_row = 0) {
  const int64_t one_each = int64_t{kFoldBlocksPerMultiprocessor} *
                           multiprocessors * kFoldThreads * kPieceElements<T>;
  int pieces = kMostPiecesOfWarp;
  while (pieces > 1 && 2 * pieces * one_each > end) pieces /= 2;
  FoldPlan plan;
  plan.pieces_of_row = fixed_row == 0 ? pieces : fixed_row;
  plan.tiles_of_warp =
      fixed_row == 0 || pieces < fixed_row ? 1 : pieces / fixed_row;
  const int64_t chunk = plan.tiles_of_warp * kFoldWarps * TileElements<T>(plan);
  plan.chunks = (end + chunk - 1) / chunk;
  for (int64_t level = plan.chunks; level > 1;) {
    plan.values += level;
    level = (level + kFoldThreads - 1) / kFoldThreads;
    plan.groups += level;
  }
  return plan;
}

// The value of the lane `distance` further on.
template <typename Value>
__device__ __forceinline__ Value ShuffleDownWords(const Value& value,
                                                  int distance) {
  constexpr int kWords = sizeof(Value) / sizeof(uint32_t);
  static_assert(kWords * sizeof(uint32_t) == sizeof(Value));
  uint32_t words[kWords];
  memcpy(words, &value, sizeof(value));
#pragma unroll
  for (uint32_t& word : words) word = ShuffleDown(word, distance);
  Value other;
  memcpy(&other, words, sizeof(other));
  return other;
}

// Combines the values of the first `count` lanes, at least one, in pairs of
// neighbours; the result is in lane 0.
template <typename Fold, typename Value = typename Fold::Value>
__device__ __forceinline__ Value CombineWarp(Value value, int count) {
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const Value right = ShuffleDownWords(value, distance);
    if (LaneId() + distance < count) value = Fold::Combine(value, right);
  }
  return value;
}

// The same for the first `count` threads of the block; in thread 0. All threads
// call it.
template <typename Fold, typename Value = typename Fold::Value>
__device__ Value CombineBlock(Value value, int count) {
  __shared__ Value of_warps[kFoldWarps];
  const int of_this_warp = count - WarpId() * kWarpSize;
  if (of_this_warp > 0) {
    value = CombineWarp<Fold>(value, min(of_this_warp, kWarpSize));
  }
  __syncthreads();  // what was in shared memory before has been read
  if (LaneId() == 0) of_warps[WarpId()] = value;
  __syncthreads();
  const int warps = (count + kWarpSize - 1) / kWarpSize;
  if (WarpId() == 0 && warps > 1) {
    value = CombineWarp<Fold>(of_warps[LaneId() % kFoldWarps], warps);
  }
  return value;
}

// This warp's part of shared memory, of 32 pieces.
template <typename T>
__device__ __forceinline__ Vector<T>* PiecesOfWarp() {
  extern __shared__ uint4 fold_pieces[];
  return reinterpret_cast<Vector<T>*>(fold_pieces) +
         WarpId() * kPieceStride * kWarpSize;
}

// Starts to bring a piece of each row of the tile that begins at element
// `tile_first` into shared memory. What is not there is left as it was, or
// becomes 0.
template <typename T>
__device__ __forceinline__ void FetchPieces(Span<const T> in,
                                            const FoldPlan& plan,
                                            int64_t tile_first, int piece,
                                            Vector<T>* pieces) {
  constexpr int kLanes = Vector<T>::kLanes;
  constexpr int kRowsOfStep = kWarpSize / kPieceVectors;
  const int row = LaneId() / kPieceVectors;
  const int vector = LaneId() % kPieceVectors;
  const int64_t row_elements = RowElements<T>(plan);
  Vector<T>* slot = pieces + row * kPieceStride + vector;
  int64_t first = tile_first + row * row_elements + piece * kPieceElements<T> +
                  vector * kLanes;
  if (in.HoldsVectors(tile_first, kWarpSize * row_elements)) {
#pragma unroll
    for (int i = 0; i < kPieceVectors; ++i) {
      CopyVectorAsync(slot + i * kRowsOfStep * kPieceStride, in, first);
      first += kRowsOfStep * row_elements;
    }
  } else {
    // Four at a time: at addresses without vectors all tiles come here.
#pragma unroll 4
    for (int i = 0; i < kPieceVectors; ++i) {
      if (in.HoldsVectors(first, kLanes)) {
        CopyVectorAsync(slot, in, first);
      } else if (first < in.end) {
        *slot = LoadElements(in, first, T{0});
      }
      slot += kRowsOfStep * kPieceStride;
      first += kRowsOfStep * row_elements;
    }
  }
}

// Takes in the piece that begins at element `first`, as far as it is there.
template <typename Fold, typename T = typename Fold::Element>
__device__ __forceinline__ void AddPieceOf(const Fold& fold, Span<const T> in,
                                           int64_t first,
                                           const Vector<T>* piece,
                                           typename Fold::State& state) {
  if (first >= in.begin && first + kPieceElements<T> <= in.end) {
    fold.AddPiece(state, piece);
  } else {
    const int64_t begin = max(in.begin - first, int64_t{0});
    const int64_t end = min(in.end - first, kPieceElements<T>);
    if (begin < end) {
      fold.AddSome(state, reinterpret_cast<const T*>(piece) + begin,
                   static_cast<int>(end - begin));
    }
  }
}

// The value of this thread's row of the tile at `first`, of which the first
// pieces have been fetched. Then starts to fetch those of the tile at `next`,
// unless the array has ended there.
template <typename Fold, typename T = typename Fold::Element,
          typename Value = typename Fold::Value>
__device__ __forceinline__ Value FoldRow(const Fold& fold, Span<const T> in,
                                         const FoldPlan& plan, int64_t first,
                                         int64_t next, Vector<T>* pieces) {
  const int64_t row_first = first + LaneId() * RowElements<T>(plan);
  typename Fold::State state = fold.Begin();
#pragma unroll 1
  for (int piece = 0; piece < plan.pieces_of_row; ++piece) {
    WaitForCopies();
    __syncwarp();
    AddPieceOf(fold, in, row_first + piece * kPieceElements<T>,
               pieces + LaneId() * kPieceStride, state);
    __syncwarp();
    if (piece + 1 < plan.pieces_of_row) {
      FetchPieces(in, plan, first, piece + 1, pieces);
    } else if (next < in.end) {
      FetchPieces(in, plan, next, 0, pieces);
    }
  }
  return fold.Finish(state, row_first / RowElements<T>(plan));
}

// How many rows there are from element `first` on, up to a tile's.
template <typename T>
__device__ __forceinline__ int RowsFrom(Span<const T> in, const FoldPlan& plan,
                                        int64_t first) {
  const int64_t row = RowElements<T>(plan);
  return static_cast<int>(
      min((in.end - first + row - 1) / row, int64_t{kWarpSize}));
}

// The value of this block's chunk, in thread 0. Those of its tiles go to
// `tiles`, by their numbers, unless it is null.
template <typename Fold, typename T = typename Fold::Element,
          typename Value = typename Fold::Value>
__device__ Value FoldChunk(const Fold& fold, Span<const T> in,
                           const FoldPlan& plan, Value* tiles) {
  constexpr int kMostTiles = kMostPiecesOfWarp * kFoldWarps;
  __shared__ Value of_tiles[kMostTiles];
  Vector<T>* const pieces = PiecesOfWarp<T>();
  const int64_t tile_elements = TileElements<T>(plan);
  const int tiles_of_block = plan.tiles_of_warp * kFoldWarps;
  const int64_t first_tile = blockIdx.x * int64_t{tiles_of_block};
  int tile = WarpId() * plan.tiles_of_warp;
  const int end_tile = tile + plan.tiles_of_warp;
  int64_t first = (first_tile + tile) * tile_elements;
  if (first < in.end) FetchPieces(in, plan, first, 0, pieces);
#pragma unroll 1
  for (; tile < end_tile && first < in.end; ++tile) {
    const int64_t next = first + tile_elements;
    Value value = FoldRow(fold, in, plan, first,
                          tile + 1 < end_tile ? next : in.end, pieces);
    value = CombineWarp<Fold>(value, RowsFrom(in, plan, first));
    if (LaneId() == 0) {
      of_tiles[tile] = value;
      if (tiles != nullptr) tiles[first_tile + tile] = value;
    }
    first = next;
  }
  __syncthreads();
  const int64_t tiles_left = TilesOf<T>(plan, in.end) - first_tile;
  return CombineBlock<Fold>(
      of_tiles[threadIdx.x % kMostTiles],
      static_cast<int>(min(tiles_left, int64_t{tiles_of_block})));
}

// What is combined with the chunks of other blocks, by the last of each group
// to arrive. `values` has room for FoldPlan::values, `arrivals` for
// FoldPlan::groups counters. True in all threads of one block; its thread 0 has
// the value of all chunks.
template <typename Fold, typename Value = typename Fold::Value>
__device__ bool CombineChunks(Value& value, Value* values, unsigned* arrivals) {
  unsigned index = blockIdx.x;
  unsigned count = gridDim.x;
  while (count > 1) {
    const unsigned group = index / kFoldThreads;
    const unsigned members =
        min(count - group * kFoldThreads, unsigned{kFoldThreads});
    if (threadIdx.x == 0) values[index] = value;
    if (!ArriveLast(&arrivals[group], members)) return false;
    if (threadIdx.x < members) {
      value = values[group * kFoldThreads + threadIdx.x];
    }
    value = CombineBlock<Fold>(value, static_cast<int>(members));
    values += count;
    index = group;
    count = (count + kFoldThreads - 1) / kFoldThreads;
    arrivals += count;
  }
  return true;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_
