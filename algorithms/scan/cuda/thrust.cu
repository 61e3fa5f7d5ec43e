// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's scan, called as most programs call it: it allocates its scratch
// memory anew each time and waits for the result. Inside it is CUB's.

// Otherwise Thrust compiles everything twice, for sizes of 32 and of 64 bits.
#define THRUST_FORCE_64_BIT_OFFSET_TYPE

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"

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
          const auto policy = thrust::cuda::par.on(stream());
          const T* const first = in.data<T>();
          const T* const last = first + in.size();
          if (options.kind == Kind::kInclusive) {
            thrust::inclusive_scan(policy, first, last,
                                   CubOutput(out.data<T>()), Op::Empty(),
                                   CubOperator<Op>());
          } else {
            thrust::exclusive_scan(policy, first, last,
                                   CubOutput(out.data<T>()), Op::Empty(),
                                   CubOperator<Op>());
          }
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
        .Notes("allocates and waits in every call; two types only, to spare "
               "compiling"));

}  // namespace
}  // namespace concord::scan
