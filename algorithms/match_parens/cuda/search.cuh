// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a block, or a warp, finds the stretch of elements that has the fault when
// it knows what each of many does to the depth.

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_SEARCH_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_SEARCH_CUH_

#include <cstdint>

#include "concord/algorithms/match_parens/cuda/row.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::match_parens {

// The least value of a warp, in every lane.
__device__ __forceinline__ int WarpMinimum(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(kWholeWarp, value);
#else
  return WarpReduce<Minimum<int>>(value);
#endif
}

// Where stretches of elements have a fault: one that falls below zero, or else
// one that goes down to zero; the first of those, or else the last.
struct FaultSearch {
  bool below;

  // In a stretch that goes down to this depth.
  __device__ bool IsHere(int64_t lowest) const {
    return below ? lowest < 0 : lowest == 0;
  }
  // Which of those whose bit is set; one is.
  __device__ int Choose(unsigned bits) const {
    return below ? __ffs(bits) - 1 : kWarpSize - 1 - __clz(bits);
  }
  // The lane whose stretch it is; moves the depth to its beginning. A whole
  // warp calls it.
  __device__ int AmongLanes(const Depths& of_lane, int64_t& depth) const {
    int through[1] = {of_lane.sum};
    WarpInclusiveScan<Add<int>>(through);
    const int before = through[0] - of_lane.sum;
    const int lane = Choose(
        __ballot_sync(kWholeWarp, IsHere(depth + before + of_lane.lowest)));
    depth += ShuffleFrom(before, lane);
    return lane;
  }
};

// A block as large as can be.
inline constexpr int kSearchThreads = 1024;
inline constexpr int kSearchWarps = kSearchThreads / kWarpSize;
static_assert(kSearchWarps == kWarpSize);

// Neighbouring stretches of the block of FindFaultInTiles, of which each thread
// has kCount: first those with number 0 of the threads of a warp, then those
// with number 1, and so on, then the next warp's. So threads can load them side
// by side.
template <int kCount>
class Stretches {
 public:
  static constexpr int kOfWarp = kCount * kWarpSize;

  // Where this thread's first one is.
  static __device__ int First() { return WarpId() * kOfWarp + LaneId(); }

  // The whole block calls it, with the thread's.
  __device__ explicit Stretches(const Depths (&depths)[kCount]) {
    __shared__ int sums[kSearchWarps];
    __shared__ int lows[kSearchWarps];
    int through[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) through[k] = depths[k].sum;
    WarpInclusiveScan<Add<int>>(through);
    int warp_sum = 0, warp_low = 0;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      before_[k] = warp_sum + through[k] - depths[k].sum;
      low_[k] = before_[k] + depths[k].lowest;
      warp_low = min(warp_low, low_[k]);
      warp_sum += ShuffleFrom(through[k], kWarpSize - 1);
    }
    warp_low = WarpMinimum(warp_low);
    __syncthreads();  // what was there before has been read
    if (LaneId() == 0) {
      sums[WarpId()] = warp_sum;
      lows[WarpId()] = warp_low;
    }
    __syncthreads();
    int warps[1] = {sums[LaneId()]};
    WarpInclusiveScan<Add<int>>(warps);
    before_warp_ = warps[0] - sums[LaneId()];
    low_of_warp_ = before_warp_ + lows[LaneId()];
    all_.sum = ShuffleFrom(warps[0], kWarpSize - 1);
    all_.lowest = WarpMinimum(low_of_warp_);
  }

  __device__ const Depths& all() const { return all_; }

  // Calls found(the stretch's number, the depth where it begins) in all threads
  // of one warp, where the stretches begin at `depth`.
  template <typename Found>
  __device__ void Find(const FaultSearch& search, int64_t depth,
                       const Found& found) const {
    const int warp = search.Choose(
        __ballot_sync(kWholeWarp, search.IsHere(depth + low_of_warp_)));
    if (WarpId() != warp) return;
    depth += ShuffleFrom(before_warp_, warp);
    int number = -1;
    int64_t its_depth = 0;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const unsigned lanes =
          __ballot_sync(kWholeWarp, search.IsHere(depth + low_[k]));
      if (lanes == 0 || (search.below && number >= 0)) continue;
      const int lane = search.Choose(lanes);
      number = warp * kOfWarp + k * kWarpSize + lane;
      its_depth = depth + ShuffleFrom(before_[k], lane);
    }
    found(number, its_depth);
  }

 private:
  // Of this thread's stretches, from where the warp's begin: the depth before
  // each, and the lowest within.
  int before_[kCount];
  int low_[kCount];
  // Lane i has those of warp i, from where all begin.
  int before_warp_;
  int low_of_warp_;
  Depths all_;
};

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_SEARCH_CUH_
