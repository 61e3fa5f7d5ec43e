// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's scan. Inside it is CUB's, for sizes of 32 or of 64 bits.

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/backends/cuda/thrust_memory.cuh"

namespace concord::scan {
namespace {

class ScanThrust : public ScanOnCuda<ScanThrust> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    if constexpr (kIsCompiledForThrust<Op>) {
      if (IsThrustType(in.type())) {
        return ThrustStatus(name(), [&] {
          WithThrustPolicy(*backend(), [&](const auto& policy) {
            const T* const first = in.data<T>();
            const T* const last = first + in.size();
            const auto to = CubOutput(out.data<T>());
            if (options.kind == Kind::kInclusive) {
              thrust::inclusive_scan(policy, first, last, to,
                                     CubOperator<Op>());
            } else {
              thrust::exclusive_scan(policy, first, last, to, Op::Empty(),
                                     CubOperator<Op>());
            }
          });
        });
      }
    }
    return NotForThrust(name(), in.type());
  }
};

const bool kRegistered = RegisterOnCuda<ScanThrust>(
    "thrust", /*rank=*/0, "Thrust's scan",
    ScanContract(Determinism::kNone, kOrderOfTiming)
        .Types(ThrustTypes())
        .Notes("allocates in every call; two types only, to spare compiling"));

}  // namespace
}  // namespace concord::scan
