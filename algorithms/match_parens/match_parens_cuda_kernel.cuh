// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernel of match_parens/cuda/fused for one kind of brackets: an ordered
// fold over depths. If it says that there is a fault, the last block goes down
// the tree to it: from the groups of chunks to the tile, its piece and element.

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_CUDA_KERNEL_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_CUDA_KERNEL_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "algorithms/match_parens/match_parens_cuda_row.cuh"
#include "backends/cuda/ordered_fold.cuh"
#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"
#include "core/operators.h"

namespace concord {

struct DepthFold {
  static constexpr int kShift = 0;
  using Element = uint8_t;
  using State = Depths;
  using Value = Depths;

  static __device__ __forceinline__ State Begin() { return {0, 0}; }
  __device__ __forceinline__ void AddPiece(State& state,
                                           const Vector<uint8_t>* piece) const {
    state = Combine(state, DepthsOfPiece(brackets, piece));
  }
  __device__ __forceinline__ void AddSome(State& state, const uint8_t* elements,
                                          int count) const {
    state = Combine(state, DepthsOf(elements, count, open, close));
  }
  static __device__ __forceinline__ Value Finish(const State& state, int64_t) {
    return state;
  }
  static __device__ __forceinline__ Value Combine(const Value& a,
                                                  const Value& b) {
    return concord::Combine(a, b);
  }

  BracketWords brackets;
  uint8_t open;
  uint8_t close;
};

// Which fault is looked for: the first place where the depth falls below zero,
// or the last place where it is zero. A whole block looks.
class FaultSearch {
 public:
  __device__ explicit FaultSearch(bool falls_below_zero)
      : falls_below_zero_(falls_below_zero) {}

  // Each thread has some neighbouring stretches, in the order of the threads;
  // those that are not there change nothing. The number of the stretch where
  // the fault is; moves the depth to its beginning.
  template <int kCount>
  __device__ int Among(const Depths (&stretches)[kCount]) {
    __shared__ int64_t sums_of_warps[kFoldWarps];
    __shared__ int found_by_warp[kFoldWarps];
    __shared__ int64_t depths_of_warps[kFoldWarps];
    Depths whole{0, 0};
#pragma unroll
    for (const Depths& stretch : stretches) whole = Combine(whole, stretch);
    int64_t sums[1] = {whole.sum};
    WarpInclusiveScan<Add<int64_t>>(sums);
    if (LaneId() == kWarpSize - 1) sums_of_warps[WarpId()] = sums[0];
    __syncthreads();
    int64_t depth = depth_ + sums[0] - whole.sum;
    for (int warp = 0; warp < WarpId(); ++warp) depth += sums_of_warps[warp];

    const unsigned here =
        __ballot_sync(kWholeWarp, HasFault(depth + whole.lowest));
    const int lane = falls_below_zero_ ? __ffs(here) - 1 : 31 - __clz(here);
    if (here == 0) {
      if (LaneId() == 0) found_by_warp[WarpId()] = -1;
    } else if (LaneId() == lane) {
      int found = 0;
      int64_t found_depth = depth;
      bool done = false;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (HasFault(depth + stretches[i].lowest) && !done) {
          found = i;
          found_depth = depth;
          done = falls_below_zero_;
        }
        depth += stretches[i].sum;
      }
      found_by_warp[WarpId()] = static_cast<int>(threadIdx.x) * kCount + found;
      depths_of_warps[WarpId()] = found_depth;
    }
    __syncthreads();
    int of_warp = 0;
    for (int warp = 0; warp < kFoldWarps; ++warp) {
      if (found_by_warp[warp] < 0) continue;
      of_warp = warp;
      if (falls_below_zero_) break;
    }
    depth_ = depths_of_warps[of_warp];
    return found_by_warp[of_warp];
  }

 private:
  // In a stretch that goes down to this depth.
  __device__ bool HasFault(int64_t lowest) const {
    return falls_below_zero_ ? lowest < 0 : lowest == 0;
  }

  const bool falls_below_zero_;
  int64_t depth_ = 0;
};

// The values of a level of the tree over the chunks, which are level 0;
// `values` holds the levels one behind the other.
struct Level {
  const Depths* values;
  int64_t count;
};
__device__ inline Level LevelOf(const Depths* values, int64_t chunks,
                                int number) {
  Level level{values, chunks};
  for (; number > 0; --number) {
    level.values += level.count;
    level.count = (level.count + kFoldThreads - 1) / kFoldThreads;
  }
  return level;
}

// The position of the fault in an array that has one. A whole block calls it.
__device__ inline int64_t LocateFault(
    const DepthFold& fold, Span<const uint8_t> in, const FoldPlan& plan,
    bool falls_below_zero, const Depths* tiles, const Depths* values) {
  FaultSearch search(falls_below_zero);
  const auto thread = static_cast<int64_t>(threadIdx.x);

  // From the level that is a single group, each value stands for a group of the
  // level below.
  int number = 0;
  while (LevelOf(values, plan.chunks, number).count > 1) ++number;
  int64_t group = 0;
  for (; number > 1; --number) {
    const Level level = LevelOf(values, plan.chunks, number - 1);
    const int64_t i = group * kFoldThreads + thread;
    const Depths of_group[1] = {i < level.count ? level.values[i]
                                                : Depths{0, 0}};
    group = group * kFoldThreads + search.Among(of_group);
  }

  // The tiles of a group of chunks, each thread those of a chunk.
  const int64_t first_tile = group * kFoldThreads * kFoldWarps;
  const int64_t all_tiles = TilesOf<uint8_t>(plan, in.end);
  Depths of_chunk[kFoldWarps];
#pragma unroll
  for (int i = 0; i < kFoldWarps; ++i) {
    const int64_t tile = first_tile + thread * kFoldWarps + i;
    of_chunk[i] = tile < all_tiles ? tiles[tile] : Depths{0, 0};
  }
  const int64_t tile = first_tile + search.Among(of_chunk);

  // The pieces of the tile, which the block goes through once more, a piece for
  // each thread.
  static_assert(kMostPiecesOfRow <= kFoldWarps);
  constexpr int kPiecesDistance = kWarpSize * kPieceStride;
  Vector<uint8_t>* const pieces = PiecesOfBlock<uint8_t>();
  const int64_t tile_first = tile * TileElements<uint8_t>(plan);
  if (WarpId() < plan.pieces_of_row) {
    FetchPieces<0>(in, plan, tile_first, WarpId(),
                   pieces + WarpId() * kPiecesDistance);
  }
  WaitForCopies();
  __syncthreads();
  const auto piece_in_memory = [&](int piece) {
    return pieces + piece % plan.pieces_of_row * kPiecesDistance +
           piece / plan.pieces_of_row * kPieceStride;
  };
  Depths of_piece[1] = {fold.Begin()};
  if (thread < kWarpSize * plan.pieces_of_row) {
    AddPieceOf(fold, in, tile_first + thread * kPieceElements<uint8_t>,
               piece_in_memory(static_cast<int>(thread)), of_piece[0]);
  }
  const int piece = search.Among(of_piece);

  // Its elements, a few for each thread.
  constexpr int kCount = kPieceElements<uint8_t> / kFoldThreads;
  static_assert(kCount * kFoldThreads == kPieceElements<uint8_t>);
  const int64_t piece_first = tile_first + piece * kPieceElements<uint8_t>;
  const auto* const elements =
      reinterpret_cast<const uint8_t*>(piece_in_memory(piece));
  Depths of_elements[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int64_t of_thread = thread * kCount + i;
    const int64_t index = piece_first + of_thread;
    const bool present = index >= in.begin && index < in.end;
    of_elements[i] =
        DepthsOf(elements + of_thread, present ? 1 : 0, fold.open, fold.close);
  }
  return piece_first + search.Among(of_elements) - in.begin;
}

// With the depths of the whole array in thread 0 of a block.
__device__ inline void StoreFault(const DepthFold& fold, Span<const uint8_t> in,
                                  const FoldPlan& plan, const Depths* tiles,
                                  const Depths* values, const Depths& whole,
                                  int64_t* fault) {
  __shared__ Depths root;
  if (threadIdx.x == 0) root = whole;
  __syncthreads();
  int64_t position = -1;
  if (root.lowest < 0 || root.sum > 0) {
    position = LocateFault(fold, in, plan, root.lowest < 0, tiles, values);
  }
  if (threadIdx.x == 0) *fault = position;
}

__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    MatchOneKind(DepthFold fold, Span<const uint8_t> in, FoldPlan plan,
                 Depths* tiles, Depths* values, int64_t* fault) {
  const Depths value = FoldChunk(fold, in, plan, tiles);
  if (plan.chunks == 1) {
    StoreFault(fold, in, plan, tiles, values, value, fault);
  } else if (threadIdx.x == 0) {
    values[blockIdx.x] = value;
  }
}

// After it, where there are several chunks.
__global__ void __launch_bounds__(kFoldThreads)
    CombineOneKind(DepthFold fold, Span<const uint8_t> in, FoldPlan plan,
                   const Depths* tiles, Depths* values, unsigned* arrivals,
                   int64_t* fault) {
  Depths value{0, 0};
  if (CombineChunks<DepthFold>(value, values, plan.chunks, arrivals)) {
    StoreFault(fold, in, plan, tiles, values, value, fault);
  }
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_CUDA_KERNEL_CUH_
