// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's reduction, called as most programs call it: it allocates its scratch
// memory anew each time and returns the result to the host, from where it goes
// to its place. Inside it is CUB's. Its order of float operations is its own.

// Otherwise Thrust compiles everything twice, for sizes of 32 and of 64 bits.
#define THRUST_FORCE_64_BIT_OFFSET_TYPE

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/core/registry.h"

namespace concord::reduce {
namespace {

class ReduceThrust : public ReduceOnCuda<ReduceThrust> {
 public:
  explicit ReduceThrust(std::shared_ptr<Backend> backend)
      : ReduceOnCuda(std::move(backend), "reduce/cuda/thrust") {}

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    if constexpr (kIsCompiledForThrust<Op>) {
      if (IsThrustType(in.type())) {
        T result{};
        absl::Status status = ThrustStatus(name(), [&] {
          result = thrust::reduce(thrust::cuda::par.on(stream()), in.data<T>(),
                                  in.data<T>() + in.size(),
                                  in.empty() ? Op::Empty() : Op::Identity(),
                                  CubOperator<Op>());
        });
        if (!status.ok()) return status;
        result = CanonicalNan(result);
        // Ordinary memory of the host: it has been read when this returns.
        return CudaStatus(cudaMemcpyAsync(out.data<T>(), &result, sizeof(T),
                                          cudaMemcpyHostToDevice, stream()),
                          name());
      }
    }
    return NotForThrust(name(), in.type());
  }
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = ThrustTypes();
  contract.determinism = Determinism::kRunToRun;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic in an order of CUB's; min, max: NaN if "
      "any is, -0.0 < +0.0";
  contract.notes =
      "allocates and waits in every call; two types only, to spare compiling";
  return contract;
}

const bool kRegistered = Registry<Reduce>::Get().Add(
    "cuda", "thrust", /*rank=*/0, "Thrust's reduction", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<ReduceThrust>(std::move(backend));
    });

}  // namespace
}  // namespace concord::reduce
