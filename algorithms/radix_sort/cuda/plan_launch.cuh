// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launch that plans the passes of a sort.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_LAUNCH_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_LAUNCH_CUH_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::radix_sort {

// More than half of what a multiprocessor has. Where blocks of other kernels
// are about to end, two blocks would come to share one while others are idle.
inline constexpr int64_t kBytesOfMultiprocessor = int64_t{120} << 10;

// Queues what plans the passes, or calls `otherwise` where none is wanted.
// `what` is for errors.
template <bool kAllBits, typename Bits, typename Otherwise>
absl::Status QueuePlan(absl::string_view what, const CudaBackend& backend,
                       DependentLauncher& launcher, Span<const Bits> keys,
                       KeyMap<Bits> map, KeyDigits digits,
                       const PlanHints& hints, Otherwise otherwise,
                       SortPlan* plan) {
  constexpr int64_t kRow =
      int64_t{kPlanThreads} * Vector<Bits>::kLanes * kPlanLoads<Bits>;
  const int64_t blocks =
      std::min<int64_t>(DivideUp(keys.end, kRow), backend.multiprocessors());
  const auto queue = [&](auto kernel, int copies) {
    const int64_t bytes = PlanMemoryBytes<Bits>(copies);
    return launcher.Queue(
        what, kernel,
        {blocks, kPlanThreads,
         hints.wanted == nullptr ? bytes
                                 : std::max(bytes, kBytesOfMultiprocessor)},
        keys, map, digits, hints, otherwise, plan);
  };
  const auto fits = [&](int copies) {
    constexpr int64_t kOwnBytes = 2048;  // that the kernel declares
    return PlanMemoryBytes<Bits>(copies) + kOwnBytes <=
           backend.max_shared_memory_per_block();
  };
  constexpr int kFew = kFewPlanCopies<Bits>;
  if constexpr (kFew < kPlanCopies) {
    if (keys.end >= kLeastForPlanCopies && fits(kPlanCopies)) {
      return queue(MakePlan<Bits, kPlanCopies, kAllBits, Otherwise>,
                   kPlanCopies);
    }
  }
  if constexpr (kFew > 8) {
    // A block of Turing's has 64 KiB.
    if (!fits(kFew)) return queue(MakePlan<Bits, 8, kAllBits, Otherwise>, 8);
  }
  return queue(MakePlan<Bits, kFew, kAllBits, Otherwise>, kFew);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_LAUNCH_CUH_
