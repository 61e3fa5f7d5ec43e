// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// thrust::transform, the peer that the other implementations are measured
// against.

#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cstdint>

#include "concord/algorithms/transform/cuda/run.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"

namespace concord::transform {
namespace {

class TransformThrust : public TransformOnCuda<TransformThrust> {
 public:
  using TransformOnCuda::TransformOnCuda;

  template <typename Op>
  absl::Status Launch(Op op, const typename Op::In* in, typename Op::Out* out,
                      int64_t n) {
    return ThrustStatus(name(), [&] {
      thrust::transform(thrust::cuda::par_nosync.on(stream()), in, in + n, out,
                        op);
    });
  }
};

const bool kRegistered = RegisterOnCuda<TransformThrust>(
    "thrust", /*rank=*/5, "thrust::transform", TransformContract());

}  // namespace
}  // namespace concord::transform
