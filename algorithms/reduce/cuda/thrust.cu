// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's reduction. It returns the result to the host, from where it goes to
// its place. Inside it is CUB's, for sizes of 32 or of 64 bits. Its order of
// float operations is its own.

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/backends/cuda/thrust_memory.cuh"

namespace concord::reduce {
namespace {

class ReduceThrust : public ReduceOnCuda<ReduceThrust> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    if constexpr (kIsCompiledForThrust<Op>) {
      if (IsThrustType(in.type())) {
        T result{};
        absl::Status status = ThrustStatus(name(), [&] {
          WithThrustPolicy(*backend(), [&](const auto& policy) {
            result =
                thrust::reduce(policy, in.data<T>(), in.data<T>() + in.size(),
                               Op::Identity(), CubOperator<Op>());
          });
        });
        return status.ok() ? Store(CanonicalNan(result), out.data<T>())
                           : status;
      }
    }
    return NotForThrust(name(), in.type());
  }
};

const bool kRegistered = RegisterOnCuda<ReduceThrust>(
    "thrust", /*rank=*/0, "Thrust's reduction",
    Contract()
        .Types(ThrustTypes())
        .Determined(Determinism::kRunToRun)
        .SpecialValues("add, mul: IEEE 754 arithmetic in an order of CUB's; "
                       "min, max: NaN if any is, -0.0 < +0.0")
        .Notes("allocates and waits in every call; two types only, to spare "
               "compiling"));

}  // namespace
}  // namespace concord::reduce
