// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's scan, called as most programs call it: it allocates its scratch
// memory anew each time and waits for the result. Inside it is CUB's.

// Otherwise Thrust compiles everything twice, for sizes of 32 and of 64 bits.
#define THRUST_FORCE_64_BIT_OFFSET_TYPE

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

class ScanThrust : public ScanOnCuda<ScanThrust> {
 public:
  explicit ScanThrust(std::shared_ptr<Backend> backend)
      : ScanOnCuda(std::move(backend), "scan/cuda/thrust") {}

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

Contract MakeContract() {
  Contract contract;
  contract.element_types = ThrustTypes();
  contract.in_place = true;
  contract.determinism = Determinism::kNone;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic in an order that depends on timing, so "
      "that the product of a stretch may overflow where no prefix does; min, "
      "max: NaN from the first NaN on, -0.0 < +0.0";
  contract.notes =
      "allocates and waits in every call; two types only, to spare compiling";
  return contract;
}

const bool kRegistered = Registry<Scan>::Get().Add(
    "cuda", "thrust", /*rank=*/0, "Thrust's scan", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<ScanThrust>(std::move(backend));
    });

}  // namespace
}  // namespace concord::scan
