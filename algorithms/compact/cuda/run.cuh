// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_COMPACT_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_COMPACT_CUDA_RUN_CUH_

#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::compact {

// The predicate as CUB and Thrust take it.
template <typename Word>
struct Keeps {
  KeptRange<Word> range;
  __device__ bool operator()(Word x) const { return range.Keeps(x); }
};

// What every compaction on a GPU does before it launches. `Derived` has
//
//   template <typename Word>
//   absl::Status Select(const KeptRange<Word>& keep,
//                       const CompactArrays<Word>& arrays);
//
// which is also called for no elements.
template <typename Derived>
class CompactOnCuda : public OnCuda<Compact> {
 public:
  using OnCuda<Compact>::OnCuda;

  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                   const Options& options) final {
    return DispatchCompact(
        in, outputs, options.keep, [&](const auto& keep, const auto& arrays) {
          return static_cast<Derived*>(this)->Select(keep, arrays);
        });
  }

 protected:
  // Where the host knows how many elements are kept.
  template <typename Word>
  absl::Status StoreCounts(int64_t kept, const CompactArrays<Word>& to) const {
    absl::Status status = Store(kept, to.count);
    if (to.rejected_count != nullptr) {
      status.Update(Store(to.size - kept, to.rejected_count));
    }
    return status;
  }
};

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_CUDA_RUN_CUH_
