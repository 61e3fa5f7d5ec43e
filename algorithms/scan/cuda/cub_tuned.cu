// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's scan with tunings that CUB has and does not choose on Hopper: its
// lookahead kernel, with the policies that it takes on Blackwell. They can be
// asked for from CCCL 3.6 on, which CONCORD_CCCL may name; with an earlier one
// there is no such variant. Operators other than addition take what
// `cub` does.

#include <cub/version.cuh>

#if CUB_VERSION >= 300600

#include <cub/device/device_scan.cuh>
#include <cuda/execution>
#include <cuda/stream>
#include <memory>
#include <type_traits>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"
#include "concord/core/value_or_throw.h"

namespace concord::scan {
namespace {

// CUB's own for sums on compute capability 10.0: warps, elements a thread,
// tiles that a lane of the warp ahead looks at.
template <typename T>
struct LookaheadOf {
  constexpr cub::ScanPolicy operator()(cuda::compute_capability) const {
    return {cub::ScanAlgorithm::lookahead, cub::ScanLookbackPolicy{}, Policy()};
  }

 private:
  static constexpr cub::ScanLookaheadPolicy Policy() {
    if constexpr (sizeof(T) == 1) return {4, 159, 8};
    if constexpr (sizeof(T) == 4) return {4, 79, 3};
    return {2, 87, 5};
  }
};

class ScanCubTuned : public ScanOnCuda<ScanCubTuned> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    if constexpr (!kIsAdd<Op> || !std::is_integral_v<T>) {
      return other_operators_->Run(in, out, options);
    } else {
      const auto environment = cuda::std::execution::env{
          cuda::stream_ref{stream()}, cuda::execution::tune(LookaheadOf<T>())};
      return CudaStatus(
          options.kind == Kind::kInclusive
              ? cub::DeviceScan::InclusiveScan(in.data<T>(), out.data<T>(),
                                               CubOperator<Op>(), in.size(),
                                               environment)
              : cub::DeviceScan::ExclusiveScan(in.data<T>(), out.data<T>(),
                                               CubOperator<Op>(), Op::Empty(),
                                               in.size(), environment),
          name());
    }
  }

 private:
  std::unique_ptr<Scan> other_operators_ =
      ValueOrThrow(Registry<Scan>::Get().Create(backend(), "cub"));
};

const bool kRegistered = RegisterOnCuda<ScanCubTuned>(
    "cub_tuned", /*rank=*/3, "DeviceScan of CUB, tuned: its lookahead kernel",
    ScanContract(Determinism::kNone, kOrderOfTiming)
        // NaNs would be those of the device's arithmetic.
        .Types({ElementType::kInt8, ElementType::kUInt8, ElementType::kInt32,
                ElementType::kUInt32, ElementType::kInt64,
                ElementType::kUInt64})
        .Notes("only with CCCL 3.6 or later; allocates in every call; "
               "operators other than add run cub"));

}  // namespace
}  // namespace concord::scan

#endif
