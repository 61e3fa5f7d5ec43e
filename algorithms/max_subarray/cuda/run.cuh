// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_RUN_CUH_

#include <cstdint>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::max_subarray {

// What every implementation on a GPU does first. `Derived` has
//
//   template <typename T>
//   absl::Status Launch(ConstArrayView in, SumOf<T>* sum, int64_t* run);
//
// which is called with at least one element, of type T.
template <typename Derived>
class MaxSubarrayOnCuda : public OnCuda<MaxSubarray> {
 public:
  using OnCuda<MaxSubarray>::OnCuda;

  absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                   const Options&) final {
    return Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto* const sum_of_run = sum.data<SumOf<T>>();
      auto* const bounds = run.data<std::int64_t>();
      if (in.empty()) return StoreEmpty(sum_of_run, bounds);
      return static_cast<Derived*>(this)->template Launch<T>(in, sum_of_run,
                                                             bounds);
    });
  }

 private:
  template <typename Sum>
  absl::Status StoreEmpty(Sum* sum, std::int64_t* run) const {
    Sum empty;
    std::int64_t bounds[2];
    StoreEmptyResult(&empty, bounds);
    absl::Status status = Store(empty, sum);
    status.Update(Store(bounds[0], run));
    status.Update(Store(bounds[1], run + 1));
    return status;
  }
};

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_RUN_CUH_
