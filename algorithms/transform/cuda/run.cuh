// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_

#include "concord/algorithms/transform/transform.h"
#include "concord/algorithms/transform/transform_operators.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::transform {

// What every transform on a GPU does before it launches. `Derived` has
//
//   template <typename Op>
//   absl::Status Launch(Op op, const typename Op::In* in,
//                       typename Op::Out* out, int64_t n);
//
// which is called with at least one element.
template <typename Derived>
class TransformOnCuda : public OnCuda<Transform> {
 public:
  using OnCuda<Transform>::OnCuda;

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) final {
    if (in.empty()) return absl::OkStatus();
    return DispatchTransform(in.type(), options, [&](auto op) {
      using Op = decltype(op);
      return static_cast<Derived*>(this)->Launch(
          op, static_cast<const typename Op::In*>(in.data()),
          static_cast<typename Op::Out*>(out.data()), in.size());
    });
  }
};

inline Contract TransformContract() {
  return Contract().InPlace().SpecialValues(
      "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result is "
      "the quiet NaN, but abs only clears the sign bit");
}

}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_
