// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the CUDA implementations of transform have in common around their
// kernels.

#ifndef CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/algorithms/transform/transform_operators.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/core/contract.h"

namespace concord::transform {

// `Method` has the name of the implementation and starts the work for an
// operation:
//
//   static constexpr char kName[] = "transform/cuda/...";
//   template <typename Op>
//   static absl::Status Launch(Op op, const typename Op::In* in,
//                              typename Op::Out* out, int64_t n,
//                              const CudaBackend& backend);
template <typename Method>
class TransformCuda : public OnCuda<Transform> {
 public:
  explicit TransformCuda(std::shared_ptr<Backend> backend)
      : OnCuda<Transform>(std::move(backend), Method::kName) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) override {
    absl::Status status =
        CheckTransformArguments(in, out, options, backend()->memory(), name());
    if (!status.ok() || in.empty()) return status;
    status = backend()->Activate();
    if (!status.ok()) return status;
    return DispatchTransform(in.type(), options, [&](auto op) {
      using Op = decltype(op);
      return Method::Launch(op, static_cast<const typename Op::In*>(in.data()),
                            static_cast<typename Op::Out*>(out.data()),
                            in.size(), *backend());
    });
  }
};

inline Contract TransformCudaContract() {
  Contract contract;
  contract.in_place = true;
  contract.special_values =
      "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result is "
      "the quiet NaN, but abs only clears the sign bit";
  return contract;
}

}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_CUDA_RUN_CUH_
