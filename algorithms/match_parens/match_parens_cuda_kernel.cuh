// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernel of match_parens/cuda/fused for one kind of brackets: an ordered
// fold over depths. If it says that there is a fault, one warp goes down the
// tree to it: from the groups of chunks to the chunk, its tile, row and
// elements.

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
// or the last place where it is zero.
class FaultSearch {
 public:
  __device__ explicit FaultSearch(bool falls_below_zero)
      : falls_below_zero_(falls_below_zero) {}

  // Of `count` stretches, the one where the fault is; moves the depth to its
  // beginning. Lane i of the warp asks for the stretches i, i + 32, ... with
  // get(i).
  template <typename Get>
  __device__ int64_t Among(int64_t count, Get get) {
    int64_t found = 0;
    int64_t found_depth = depth_;
    int64_t depth = depth_;
    for (int64_t first = 0; first < count; first += kWarpSize) {
      const int64_t i = first + LaneId();
      Depths stretch{0, 0};
      if (i < count) stretch = get(i);
      int64_t sums[1] = {stretch.sum};
      WarpInclusiveScan<Add<int64_t>>(sums);
      const int64_t before = depth + sums[0] - stretch.sum;
      const int64_t lowest = before + stretch.lowest;
      const unsigned here = __ballot_sync(
          kWholeWarp, falls_below_zero_ ? lowest < 0 && i < count
                                        : lowest == 0 && i < count);
      if (here != 0) {
        const int lane = falls_below_zero_ ? __ffs(here) - 1 : 31 - __clz(here);
        found = first + lane;
        found_depth = ShuffleFrom(before, lane);
        if (falls_below_zero_) break;
      }
      depth += ShuffleFrom(sums[0], kWarpSize - 1);
    }
    depth_ = found_depth;
    return found;
  }

 private:
  const bool falls_below_zero_;
  int64_t depth_ = 0;
};

// The values of a level of the tree over the chunks, which are level 0;
// `values` holds the levels one behind the other.
struct Level {
  const Depths* values;
  int64_t count;
};
__device__ inline Level LevelOf(const Depths* values, int number) {
  Level level{values, gridDim.x};
  for (; number > 0; --number) {
    level.values += level.count;
    level.count = (level.count + kFoldThreads - 1) / kFoldThreads;
  }
  return level;
}

// The position of the fault in an array that has one. A whole warp calls it.
__device__ inline int64_t LocateFault(
    const DepthFold& fold, Span<const uint8_t> in, const FoldPlan& plan,
    bool falls_below_zero, const Depths* tiles, const Depths* values) {
  FaultSearch search(falls_below_zero);

  // From the level that is a single group, each value stands for a group of the
  // level below.
  int number = 0;
  while (LevelOf(values, number).count > 1) ++number;
  int64_t chunk = 0;
  while (number > 0) {
    const Level level = LevelOf(values, --number);
    const int64_t first = chunk * kFoldThreads;
    chunk = first +
            search.Among(min(level.count - first, int64_t{kFoldThreads}),
                         [&](int64_t i) { return level.values[first + i]; });
  }

  const int64_t tiles_of_chunk = int64_t{plan.tiles_of_warp} * kFoldWarps;
  const int64_t first_tile = chunk * tiles_of_chunk;
  const int64_t tiles_there =
      min(TilesOf<uint8_t>(plan, in.end) - first_tile, tiles_of_chunk);
  const int64_t tile = first_tile + search.Among(tiles_there, [&](int64_t i) {
    return tiles[first_tile + i];
  });

  // The rows of the tile, which this warp goes through once more. All pieces
  // are fetched at once, for the block's other warps need no shared memory now.
  static_assert(kMostPiecesOfWarp <= kFoldWarps);
  Vector<uint8_t>* const pieces = PiecesOfWarp<uint8_t>();
  const int64_t tile_first = tile * TileElements<uint8_t>(plan);
  for (int i = 0; i < plan.pieces_of_row; ++i) {
    FetchPieces(in, plan, tile_first, i, pieces + i * kWarpSize * kPieceStride);
  }
  WaitForCopies();
  __syncwarp();
  const int64_t row_elements = RowElements<uint8_t>(plan);
  Depths of_row = fold.Begin();
  for (int i = 0; i < plan.pieces_of_row; ++i) {
    AddPieceOf(
        fold, in,
        tile_first + LaneId() * row_elements + i * kPieceElements<uint8_t>,
        pieces + (i * kWarpSize + LaneId()) * kPieceStride, of_row);
  }
  const int64_t row = search.Among(RowsFrom(in, plan, tile_first),
                                   [&](int64_t) { return of_row; });

  // Of its elements a few for each lane, then each.
  const int64_t row_first = tile_first + row * row_elements;
  const int64_t of_lane = row_elements / kWarpSize;
  const auto of = [&](int64_t first, int64_t last) {
    first = max(row_first + first, in.begin);
    last = min(row_first + last, in.end);
    return DepthsOf(in.base + first, static_cast<int>(last - first), fold.open,
                    fold.close);
  };
  const int64_t part = search.Among(
      kWarpSize, [&](int64_t i) { return of(i * of_lane, (i + 1) * of_lane); });
  const int64_t element =
      part * of_lane + search.Among(of_lane, [&](int64_t i) {
        return of(part * of_lane + i, part * of_lane + i + 1);
      });
  return row_first + element - in.begin;
}

__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    MatchOneKind(DepthFold fold, Span<const uint8_t> in, FoldPlan plan,
                 Depths* tiles, Depths* values, unsigned* arrivals,
                 int64_t* fault) {
  Depths value = FoldChunk(fold, in, plan, tiles);
  if (!CombineChunks<DepthFold>(value, values, arrivals)) return;
  if (WarpId() != 0) return;
  const int64_t lowest = ShuffleFrom(value.lowest, 0);
  const int64_t sum = ShuffleFrom(value.sum, 0);
  int64_t position = -1;
  if (lowest < 0 || sum > 0) {
    position = LocateFault(fold, in, plan, lowest < 0, tiles, values);
  }
  if (LaneId() == 0) *fault = position;
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_CUDA_KERNEL_CUH_
