// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_RUN_CUH_

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/operator_traits.cuh"

namespace concord::scan {

// What every scan on a GPU does before it launches. `Derived` has
//
//   template <typename Op>
//   absl::Status Launch(ConstArrayView in, ArrayView out,
//                       const Options& options);
//
// which is called with at least one element, of the type Op::Element or of the
// other type of integers of the same size.
template <typename Derived>
class ScanOnCuda : public OnCuda<Scan> {
 public:
  using OnCuda<Scan>::OnCuda;

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) final {
    if (in.empty()) return absl::OkStatus();
    return DispatchScan(options.op, in.type(), [&](auto op) {
      return static_cast<Derived*>(this)
          ->template Launch<SignFree<decltype(op)>>(in, out, options);
    });
  }
};

// `order` says in which order floats are added and multiplied.
inline Contract ScanContract(Determinism determinism, const char* order) {
  return Contract()
      .InPlace()
      .Determined(determinism)
      .SpecialValues(
          absl::StrCat("add, mul: IEEE 754 arithmetic", order,
                       "; min, max: NaN from the first NaN on, -0.0 < +0.0"));
}

inline constexpr char kOrderOfTiming[] =
    " in an order that depends on timing, so that the product of a stretch may "
    "overflow where no prefix does";
inline constexpr char kOrderOfDefinition[] = " in the order of the definition";

// The number of the calling thread in a grid with a thread for each element.
__device__ __forceinline__ int64_t GlobalThread() {
  return int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_RUN_CUH_
