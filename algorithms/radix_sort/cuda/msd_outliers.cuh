// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys that differ from the sampled ones in bits above the prefix. No bucket is
// theirs: they come before all buckets, or behind them. A few of them wait in a
// list, which is sorted by itself.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_OUTLIERS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_OUTLIERS_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_listed.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"

namespace concord::radix_sort {

// The keys that agree with the sampled ones in all bits above the prefix.
template <typename Bits>
struct PrefixRange {
  Bits key;    // one of them
  Bits above;  // the bits above the prefix

  __device__ __forceinline__ PrefixRange(const MsdState& state,
                                         PrefixDigits digits)
      : key(static_cast<Bits>(state.key)), above(0) {
    const int used = state.rest + digits.bits();
    if (used < 8 * static_cast<int>(sizeof(Bits))) above = ~Bits{0} << used;
  }

  __device__ __forceinline__ bool operator()(Bits other) const {
    return ((key ^ other) & above) == 0;
  }
};

// Whether a thread has one. Only where it may be absent, a key is looked at by
// itself.
template <typename Bits, typename P>
__device__ __forceinline__ bool HasOutlier(const PartitionPart<Bits, P>& part,
                                           bool whole,
                                           const PrefixRange<Bits>& inside) {
  Bits differing = 0;
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    if (whole || part.rank(i) != part.kAbsent) {
      differing |= part.keys[i] ^ inside.key;
    }
  }
  return (differing & inside.above) != 0;
}

// Moves a tile's outliers to the list, and counts what is left of the tile
// anew. All threads call it, when the counts have been made. False for all of
// them where the list is full; then the keys are not to be partitioned.
template <typename Bits, typename P>
__device__ __forceinline__ bool ListOutliers(const PrefixRange<Bits>& inside,
                                             KeyDigit digit, uint32_t* counts,
                                             PartitionPart<Bits, P>& part,
                                             MsdState* state) {
  static_assert(kMostOutliers <= kMostListed && sizeof(Bits) == 4);
  static_assert(P::kItems <= 32);
  if (threadIdx.x < kDigits) counts[threadIdx.x] = 0;
  uint32_t here = 0;
  uint32_t below = 0;
  // Of each key a bit. A new rank is set for two keys, the first one of which
  // clears that of the second.
  uint32_t absent = 0;
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    if (part.rank(i) == part.kAbsent) {
      absent |= 1u << i;
    } else if (!inside(part.keys[i])) {
      ++here;
      if (part.keys[i] < inside.key) ++below;
    }
  }
  uint32_t at = here == 0 ? 0 : atomicAdd(&state->outliers, here);
  if (below != 0) atomicAdd(&state->outliers_below, below);
  if (__syncthreads_or(at + here > kMostOutliers)) return false;
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    uint32_t rank = part.kAbsent;
    if ((absent >> i & 1) == 0) {
      if (inside(part.keys[i])) {
        rank = atomicAdd(&counts[digit(part.keys[i])], 1u);
      } else {
        state->outlier[at++] = part.keys[i];
      }
    }
    part.SetRank(i, rank);
  }
  __syncthreads();
  return true;
}

// One block, when the buckets have been written.
template <typename Bits>
__global__ void __launch_bounds__(kListedThreads)
    SortOutliers(uint32_t n, KeyMap<Bits> map, const MsdState* state,
                 Bits* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<ListedMemory<Bits>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || !state->in_rooms || state->outliers == 0) return;
  const uint32_t size = state->outliers;
  SortListed<Bits>(
      size, {0, 8 * static_cast<int>(sizeof(Bits))},
      [&](uint32_t i) { return static_cast<Bits>(state->outlier[i]); }, memory);
  for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
    const uint32_t place = i < state->outliers_below ? i : n - size + i;
    out[place] = map.Unmap(memory.words[i]);
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_OUTLIERS_CUH_
