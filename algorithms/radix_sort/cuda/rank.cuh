// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting a tile by one digit: a stable counting sort by one block, of which
// each warp owns a stretch of the tile. First the warps count their digits, and
// the counts are summed up to the place in the sorted tile where each warp's
// elements of each digit start. Then each warp goes over its elements once
// more. Lanes whose elements have the same digit find each other by votes, one
// for each bit of the digit; they take the next places of that digit, the
// lowest lane the first (S. Ashkiani, A. Davidson, U. Meyer, J. D. Owens, "GPU
// multisplit", PPoPP 2016).

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RANK_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RANK_CUH_

#include <cstdint>

#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kDigitBits = 8;
inline constexpr int kDigits = 1 << kDigitBits;

// Where a digit starts in a key, and how many values it has less one.
struct KeyDigit {
  int shift;
  uint32_t mask;

  template <typename Bits>
  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return static_cast<uint32_t>(key >> shift) & mask;
  }
};

// The lanes of the warp with the same digit.
__device__ __forceinline__ uint32_t LanesWithDigit(uint32_t digit) {
  uint32_t lanes = kWholeWarp;
#pragma unroll
  for (int bit = 0; bit < kDigitBits; ++bit) {
    uint32_t votes;
    // Four instructions, which the compiler does not find by itself.
    asm volatile(
        "{\n\t"
        ".reg .pred set;\n\t"
        ".reg .b32 one;\n\t"
        "and.b32 one, %1, %2;\n\t"
        "setp.ne.u32 set, one, 0;\n\t"
        "vote.sync.ballot.b32 %0, set, 0xffffffff;\n\t"
        "@!set not.b32 %0, %0;\n\t"
        "}"
        : "=r"(votes)
        : "r"(digit), "r"(1u << bit));
    lanes &= votes;
  }
  return lanes;
}

// Shared memory of a block that ranks.
template <int kWarps>
struct RankMemory {
  // Of each warp: how many of its elements have a digit; then, where the next
  // of them goes.
  uint32_t counts[kWarps][kDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
};

// Each warp clears its own.
template <int kWarps>
__device__ __forceinline__ void ClearCounts(RankMemory<kWarps>& memory) {
  uint32_t* const counts = memory.counts[WarpId()];
#pragma unroll
  for (int i = 0; i < kDigits / kWarpSize; ++i) {
    counts[i * kWarpSize + LaneId()] = 0;
  }
}

// The next place for a lane's element, where counts[digit], the warp's own, is
// the place of the warp's next element with that digit. With kAtomic, the first
// of the lanes takes places for all of them; without, all look at the count
// before the last of them moves it on. Which one is faster depends on what else
// the multiprocessor has to do (PassPolicyFor).
template <bool kAtomic>
__device__ __forceinline__ uint32_t TakePlace(uint32_t digit,
                                              uint32_t* counts) {
  const uint32_t lanes = LanesWithDigit(digit);
  const uint32_t before = __popc(lanes & ((1u << LaneId()) - 1));
  if constexpr (kAtomic) {
    const int last = kWarpSize - 1 - __clz(lanes);
    uint32_t first = 0;
    if (LaneId() == last) first = atomicAdd(&counts[digit], before + 1);
    return __shfl_sync(kWholeWarp, first, last) + before;
  } else {
    const uint32_t place = counts[digit] + before;
    __syncwarp();
    if (lanes >> LaneId() == 1) counts[digit] = place + 1;
    __syncwarp();
    return place;
  }
}

// The sum of what the threads below kDigits hold, up to each and without it.
// All threads of the block call it, and there are at least kDigits.
__device__ __forceinline__ uint32_t SumOfLowerDigits(uint32_t count,
                                                     uint32_t* warp_totals) {
  uint32_t sums[1] = {count};
  WarpInclusiveScan<Add<uint32_t>>(sums);
  if (threadIdx.x < kDigits && LaneId() == kWarpSize - 1) {
    warp_totals[WarpId()] = sums[0];
  }
  __syncthreads();
  uint32_t before = 0;
#pragma unroll
  for (int warp = 0; warp < kDigits / kWarpSize; ++warp) {
    if (warp < WarpId()) before += warp_totals[warp];
  }
  return before + sums[0] - count;
}

// What a digit's thread finds out about it.
struct DigitOfTile {
  uint32_t count;  // elements of the tile that have it
  uint32_t first;  // where they start in the sorted tile
};

// Sums up the warps' counts, which must all be there. Each thread below kDigits
// gets that digit; `publish` is called with the count as soon as it is known.
template <int kThreads, typename F>
__device__ __forceinline__ DigitOfTile
SumUpCounts(RankMemory<kThreads / kWarpSize>& memory, const F& publish) {
  constexpr int kWarps = kThreads / kWarpSize;
  static_assert(kThreads >= kDigits);
  const int digit = static_cast<int>(threadIdx.x);
  uint32_t count = 0;
  if (digit < kDigits) {
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      count += memory.counts[warp][digit];
    }
    publish(count);
  }
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (digit < kDigits) {
    uint32_t place = first;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
      const uint32_t of_warp = memory.counts[warp][digit];
      memory.counts[warp][digit] = place;
      place += of_warp;
    }
  }
  __syncthreads();
  return {count, first};
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RANK_CUH_
