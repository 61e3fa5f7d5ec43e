// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the CUDA implementations of transform have in common around their
// kernels.

#ifndef CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_CUDA_RUN_CUH_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "algorithms/transform/transform.h"
#include "algorithms/transform/transform_operators.h"
#include "backends/cuda/cuda_backend.h"
#include "core/contract.h"

namespace concord {

// `Method` has the name of the implementation and starts the work for an
// operation:
//
//   static constexpr char kName[] = "transform/cuda/...";
//   template <typename Op>
//   static absl::Status Launch(Op op, const typename Op::In* in,
//                              typename Op::Out* out, int64_t n,
//                              const CudaBackend& backend);
template <typename Method>
class TransformCuda : public Transform {
 public:
  explicit TransformCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) override {
    absl::Status status = CheckTransformArguments(
        in, out, options, backend_->memory(), Method::kName);
    if (!status.ok() || in.empty()) return status;
    status = backend_->Activate();
    if (!status.ok()) return status;
    return DispatchTransform(in.type(), options, [&](auto op) {
      using Op = decltype(op);
      return Method::Launch(op, static_cast<const typename Op::In*>(in.data()),
                            static_cast<typename Op::Out*>(out.data()),
                            in.size(), *backend_);
    });
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
};

inline Contract TransformCudaContract() {
  Contract contract;
  contract.in_place = true;
  contract.special_values =
      "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result is "
      "the quiet NaN, but abs only clears the sign bit";
  return contract;
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_CUDA_RUN_CUH_
