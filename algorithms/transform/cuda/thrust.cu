// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// thrust::transform, the peer that the other implementations are measured
// against.

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/transform/cuda/run.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/core/registry.h"

namespace concord::transform {
namespace {

struct ThrustTransform {
  static constexpr char kName[] = "transform/cuda/thrust";

  template <typename Op>
  static absl::Status Launch(Op op, const typename Op::In* in,
                             typename Op::Out* out, int64_t n,
                             const CudaBackend& backend) {
    return ThrustStatus(kName, [&] {
      thrust::transform(thrust::cuda::par_nosync.on(backend.stream()), in,
                        in + n, out, op);
    });
  }
};

const bool kRegistered = Registry<Transform>::Get().Add(
    "cuda", "thrust", /*rank=*/5, "thrust::transform", TransformCudaContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TransformCuda<ThrustTransform>>(
          std::move(backend));
    });

}  // namespace
}  // namespace concord::transform
