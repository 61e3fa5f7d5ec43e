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

// Takes a tile's outliers out, and counts what is left of the tile anew. All
// threads call it, when the counts have been made. With kList it moves them to
// the list, in which they are otherwise already. False for all threads where
// the list is full; then the keys are not to be partitioned.
template <bool kList, typename Bits, typename P>
__device__ __forceinline__ bool TakeOutliers(const PrefixRange<Bits>& inside,
                                             KeyDigit digit, uint32_t* counts,
                                             PartitionPart<Bits, P>& part,
                                             MsdState* state) {
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
  uint32_t at = 0;
  if constexpr (kList) {
    if (here != 0) at = atomicAdd(&state->outliers, here);
    if (below != 0) atomicAdd(&state->outliers_below, below);
  }
  if (__syncthreads_or(kList && at + here > kMostOutliers)) return false;
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    uint32_t rank = part.kAbsent;
    if ((absent >> i & 1) == 0) {
      if (inside(part.keys[i])) {
        rank = atomicAdd(&counts[digit(part.keys[i])], 1u);
      } else if constexpr (kList) {
        state->outlier[at++] = part.keys[i];
      }
    }
    part.SetRank(i, rank);
  }
  __syncthreads();
  return true;
}

// One block, of keys in rooms, when the buckets have been written.
template <typename Bits>
__global__ void __launch_bounds__(kListedThreads)
    SortOutliers(uint32_t n, KeyMap<Bits> map, const MsdState* state,
                 Bits* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<ListedMemory<Bits>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || !state->in_rooms) return;
  StoreOutliers(n, map, *state, memory, out);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_OUTLIERS_CUH_
