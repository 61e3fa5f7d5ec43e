// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions by an operator that is associative but not commutative, in one
// pass. Order matters, so a thread has to go through neighbouring elements,
// which by itself would read memory in the worst of ways (byte_tiles.cuh does
// better for bytes alone, whose rows may be of any length). Therefore a warp
// fetches a tile of 32 rows into shared memory, a piece of 256 bytes of every
// row at a time, and each thread then goes through its row. What the threads,
// warps, blocks and groups of blocks come to is combined in pairs of
// neighbours: always the one binary tree over the rows, whatever the sizes of
// these are. Blocks leave their values to a second, small kernel: to find out
// in the first one which block is the last costs each of them two microseconds,
// in which its place is not free for the next.
//
// A fold is a type with
//
//   Element
//   State           what a thread keeps while it goes through a row
//   Value           what becomes of it; both trivially copyable, and Value
//                   consists of whole words
//   State Begin()
//   kShift          how many elements behind a vector's first the rows begin
//   AddPiece(state, piece)  takes in a whole piece, whose first element is
//                   kShift elements behind that of the vector `piece`
//   AddSome(state, elements, count)   the same where the array begins or ends
//   Value Finish(state, row)          the row has this number
//   Combine(a, b)   the value of what a and b are the values of, in that order

#ifndef CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_
#define CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

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

// Longer rows make fewer values to combine, but fewer blocks, which end less
// evenly: 2, 3 and 4 pieces took 264.9, 268.4 and 270.4 us at 1 GiB.
inline constexpr int kMostPiecesOfRow = 2;
inline constexpr int kMostChunkBytes =
    kMostPiecesOfRow * kFoldThreads * kPieceBytes;

// How an array is cut: a row for each thread, a tile for each warp, a chunk for
// each block; kFoldThreads neighbouring values make a group, of chunks, of
// groups of chunks, and so on.
//
// Spans begin at a vector, and so does the first row, with elements that are
// not there. Where the caller defines the rows, it begins at element `shift`
// instead, the fold's kShift, and what is fetched of a piece is a vector
// longer.
struct FoldPlan {
  int shift = 0;
  int pieces_of_row = 1;
  int64_t chunks = 0;
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
__host__ __device__ constexpr int64_t FoldTilesOf(const FoldPlan& plan,
                                                  int64_t end) {
  return (end - plan.shift + TileElements<T>(plan) - 1) / TileElements<T>(plan);
}

// For elements [0, end). Rows are of `fixed_row` pieces from element `shift` on
// where the caller defines them. Otherwise they are longer where
// multiprocessors still have two blocks, one after the other, for each that
// they can hold.
template <typename T>
FoldPlan PlanFold(int64_t end, int multiprocessors, int fixed_row = 0,
                  int shift = 0) {
  const int64_t one_each = int64_t{kFoldBlocksPerMultiprocessor} *
                           multiprocessors * kFoldThreads * kPieceElements<T>;
  int pieces = kMostPiecesOfRow;
  while (pieces > 1 && 2 * pieces * one_each > end) pieces /= 2;
  FoldPlan plan;
  plan.shift = shift;
  plan.pieces_of_row = fixed_row == 0 ? pieces : fixed_row;
  const int64_t chunk = kFoldWarps * TileElements<T>(plan);
  plan.chunks = (end - shift + chunk - 1) / chunk;
  return plan;
}

// How many groups `count` values make, on the first level and on all together.
constexpr int64_t FoldGroups(int64_t count) {
  return (count + kFoldThreads - 1) / kFoldThreads;
}
constexpr int64_t AllFoldGroups(int64_t count) {
  int64_t groups = 0;
  while (count > 1) groups += count = FoldGroups(count);
  return groups;
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
// neighbours; the result is in lane 0. Code that runs once is quicker when it
// is short, since all of it has to come from memory first: kUnroll is 1 there.
template <typename Fold, int kUnroll = 5, typename Value = typename Fold::Value>
__device__ __forceinline__ Value CombineWarp(Value value, int count) {
#pragma unroll kUnroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    if (distance >= count) break;
    const Value right = ShuffleDownWords(value, distance);
    if (LaneId() + distance < count) value = Fold::Combine(value, right);
  }
  return value;
}

// The same for all lanes, without asking which are there: what comes to lanes
// that have no neighbour is not looked at.
template <typename Fold, typename Value = typename Fold::Value>
__device__ __forceinline__ Value CombineWholeWarp(Value value) {
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    value = Fold::Combine(value, ShuffleDownWords(value, distance));
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
    value = CombineWarp<Fold, 1>(value, min(of_this_warp, kWarpSize));
  }
  __syncthreads();  // what was in shared memory before has been read
  if (LaneId() == 0) of_warps[WarpId()] = value;
  __syncthreads();
  const int warps = (count + kWarpSize - 1) / kWarpSize;
  if (WarpId() == 0 && warps > 1) {
    value = CombineWarp<Fold, 1>(of_warps[LaneId() % kFoldWarps], warps);
  }
  return value;
}

// Shared memory for 32 pieces of each warp.
template <typename T>
__device__ __forceinline__ Vector<T>* PiecesOfWarp() {
  extern __shared__ uint4 fold_pieces[];
  return reinterpret_cast<Vector<T>*>(fold_pieces) +
         WarpId() * kPieceStride * kWarpSize;
}

// Starts to bring the vector at element `first` into shared memory. Elements
// that are not there are left as they were, or become 0.
template <typename T>
__device__ __forceinline__ void FetchVector(Span<const T> in, int64_t first,
                                            Vector<T>* slot) {
  constexpr int kLanes = Vector<T>::kLanes;
  if (in.HoldsVectors(first, kLanes)) {
    CopyVectorAsync(slot, in, first);
  } else if (first < in.end) {
    *slot = LoadElements(in, first, T{0});
  }
}

// Starts to bring kVectors vectors of each of 32 rows into shared memory; those
// of the first row begin at element `first`.
template <int kVectors, typename T>
__device__ __forceinline__ void FetchVectors(Span<const T> in, int64_t first,
                                             int64_t row_elements,
                                             Vector<T>* pieces) {
  constexpr int kLanes = Vector<T>::kLanes;
  constexpr int kRows = kWarpSize / kVectors;
  constexpr int kRest = kWarpSize % kVectors;
  // Either way the slots of the next 32 vectors are at a fixed distance.
  static_assert(kRest == 0 || kVectors == kPieceStride);
  const bool whole = in.HoldsVectors(
      first, (kWarpSize - 1) * row_elements + kVectors * kLanes);
  int vector = LaneId() % kVectors;
  const int row = LaneId() / kVectors;
  Vector<T>* slot = pieces + row * kPieceStride + vector;
  first += row * row_elements + vector * kLanes;
  const auto step = [&] {
    slot += kRows * kPieceStride + kRest;
    first += kRows * row_elements;
    if constexpr (kRest > 0) {
      vector += kRest;
      first += kRest * kLanes;
      if (vector >= kVectors) {
        vector -= kVectors;
        first += row_elements - kVectors * kLanes;
      }
    }
  };
  if (whole) {
#pragma unroll
    for (int i = 0; i < kVectors; ++i, step()) CopyVectorAsync(slot, in, first);
  } else {
#pragma unroll 1
    for (int i = 0; i < kVectors; ++i, step()) FetchVector(in, first, slot);
  }
}

// Starts to bring a piece of each row of the tile that begins at element
// `tile_first` into shared memory.
template <int kShift, typename T>
__device__ __forceinline__ void FetchPieces(Span<const T> in,
                                            const FoldPlan& plan,
                                            int64_t tile_first, int piece,
                                            Vector<T>* pieces) {
  FetchVectors<kPieceVectors + (kShift > 0 ? 1 : 0)>(
      in, tile_first - kShift + piece * kPieceElements<T>, RowElements<T>(plan),
      pieces);
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
      fold.AddSome(state,
                   reinterpret_cast<const T*>(piece) + Fold::kShift + begin,
                   static_cast<int>(end - begin));
    }
  }
}

// The value of this thread's row of the tile at `first`.
template <typename Fold, typename T = typename Fold::Element,
          typename Value = typename Fold::Value>
__device__ __forceinline__ Value FoldRow(const Fold& fold, Span<const T> in,
                                         const FoldPlan& plan, int64_t first) {
  Vector<T>* const pieces = PiecesOfWarp<T>();
  const int64_t row_first = first + LaneId() * RowElements<T>(plan);
  typename Fold::State state = fold.Begin();
#pragma unroll 1
  for (int piece = 0; piece < plan.pieces_of_row; ++piece) {
    __syncwarp();  // the piece before has been read
    FetchPieces<Fold::kShift>(in, plan, first, piece, pieces);
    WaitForCopies();
    __syncwarp();
    AddPieceOf(fold, in, row_first + piece * kPieceElements<T>,
               pieces + LaneId() * kPieceStride, state);
  }
  return fold.Finish(state, (row_first - plan.shift) / RowElements<T>(plan));
}

// How many rows there are from element `first` on, up to a tile's.
template <typename T>
__device__ __forceinline__ int RowsFrom(Span<const T> in, const FoldPlan& plan,
                                        int64_t first) {
  const int64_t row = RowElements<T>(plan);
  return static_cast<int>(
      min((in.end - first + row - 1) / row, int64_t{kWarpSize}));
}

// The value of this block's chunk, in thread 0.
template <typename Fold, typename T = typename Fold::Element,
          typename Value = typename Fold::Value>
__device__ Value FoldChunk(const Fold& fold, Span<const T> in,
                           const FoldPlan& plan) {
  __shared__ Value of_warps[kFoldWarps];
  LetNextGridStart();
  const int64_t first_tile = int64_t{blockIdx.x} * kFoldWarps;
  const int64_t tile = first_tile + WarpId();
  const int64_t first = plan.shift + tile * TileElements<T>(plan);
  if (first < in.end) {
    const Value value = CombineWarp<Fold>(FoldRow(fold, in, plan, first),
                                          RowsFrom(in, plan, first));
    if (LaneId() == 0) of_warps[WarpId()] = value;
  }
  __syncthreads();
  Value chunk = of_warps[0];
  if (WarpId() == 0) {
    const int64_t tiles_left = FoldTilesOf<T>(plan, in.end) - first_tile;
    chunk = CombineWarp<Fold>(
        of_warps[LaneId() % kFoldWarps],
        static_cast<int>(min(tiles_left, int64_t{kFoldWarps})));
  }
  return chunk;
}

// Combines `count` values, which member(i) returns, in a grid of a block for
// each group of kFoldThreads of them; upper groups fall to the last of their
// blocks to arrive. `values` has room for the values of all upper levels,
// `arrivals` for a counter of each group. True in all threads of one block; its
// thread 0 has the value of all.
template <typename Fold, typename Member, typename Value = typename Fold::Value>
__device__ bool CombineInGroups(Value& value, const Member& member,
                                unsigned count, Value* values,
                                unsigned* arrivals) {
  const auto members_of = [&](unsigned group) {
    return min(count - group * kFoldThreads, unsigned{kFoldThreads});
  };
  unsigned group = blockIdx.x;
  if (threadIdx.x < members_of(group)) {
    value = member(group * kFoldThreads + threadIdx.x);
  }
  for (;;) {
    value = CombineBlock<Fold>(value, static_cast<int>(members_of(group)));
    count = (count + kFoldThreads - 1) / kFoldThreads;
    if (count == 1) return true;
    if (threadIdx.x == 0) values[group] = value;
    group /= kFoldThreads;
    if (!ArriveLast(&arrivals[group], members_of(group))) return false;
    if (threadIdx.x < members_of(group)) {
      value = values[group * kFoldThreads + threadIdx.x];
    }
    values += count;
    arrivals += (count + kFoldThreads - 1) / kFoldThreads;
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ORDERED_FOLD_CUH_
