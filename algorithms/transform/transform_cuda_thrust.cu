// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// thrust::transform, the peer that the other implementations are measured
// against.

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "algorithms/transform/transform.h"
#include "algorithms/transform/transform_operators.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "core/registry.h"

namespace concord {
namespace {

class TransformThrust : public Transform {
 public:
  explicit TransformThrust(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) override {
    absl::Status status = CheckTransformArguments(
        in, out, options, backend_->memory(), "transform/cuda/thrust");
    if (!status.ok() || in.empty()) return status;
    status = backend_->Activate();
    if (!status.ok()) return status;
    // Thrust reports what goes wrong through exceptions.
    try {
      DispatchTransform(in.type(), options, [&](auto op) {
        using Op = decltype(op);
        const auto* from = static_cast<const typename Op::In*>(in.data());
        thrust::transform(thrust::cuda::par_nosync.on(backend_->stream()), from,
                          from + in.size(),
                          static_cast<typename Op::Out*>(out.data()), op);
      });
    } catch (const std::exception& error) {
      return absl::InternalError(
          absl::StrCat("transform/cuda/thrust: ", error.what()));
    }
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.in_place = true;
  contract.special_values =
      "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result is "
      "the quiet NaN, but abs only clears the sign bit";
  return contract;
}

const bool kRegistered = Registry<Transform>::Get().Add(
    "cuda", "thrust", /*rank=*/5, "thrust::transform", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TransformThrust>(std::move(backend));
    });

}  // namespace
}  // namespace concord
