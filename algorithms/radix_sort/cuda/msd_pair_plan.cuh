// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys with values are sorted by their prefix in two stable passes, as by any
// two digits from the lower to the upper one. From where buckets start follows
// where the elements of each digit do.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_PLAN_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_PLAN_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

inline constexpr int kPrefixPasses = 2;

// Plans them where keys do not crowd, in place of passes by all digits
// (MakePlan). One block calls it. The passes end in the spare memory.
template <typename Bits>
struct PlanPrefixPasses {
  PrefixDigits digits;
  const MsdState* state;

  __device__ __forceinline__ void operator()(SortPlan* plan) const {
    __shared__ uint32_t counts[kDigits];
    __shared__ uint32_t warp_totals[kDigits / kWarpSize];
    const int t = threadIdx.x;
    if (t < kDigits) counts[t] = 0;
    __syncthreads();
    const uint32_t lower_mask = (1u << digits.lower) - 1;
    const uint32_t upper_mask = (1u << digits.upper) - 1;
    // Of the lower digit; a thread has the same value of it in all its buckets.
    uint32_t count = 0;
#pragma unroll 8
    for (uint32_t bucket = t; bucket < 1u << digits.bits();
         bucket += kPlanThreads) {
      count += state->first[bucket + 1] - state->first[bucket];
    }
    atomicAdd(&counts[t & lower_mask], count);
    __syncthreads();
    count = t < kDigits ? counts[t] : 0;
    const uint32_t first = SumOfLowerDigits(count, warp_totals);
    if (t < kDigits) {
      plan->first[0][t] = first;
      plan->first[1][t] = state->upper_first[t];
    }
    if (t >= kPrefixPasses && t < static_cast<int>(sizeof(Bits))) {
      plan->passes[t].skipped = true;
    }
    if (t > 0) return;
    const int rest = state->rest;
    plan->passes[0] = {false, false, kInput, kOutput, {rest, lower_mask}};
    plan->passes[1] = {
        false, false, kOutput, kSpare, {rest + digits.lower, upper_mask}};
  }
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_PLAN_CUH_
