// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's scan, the peer that every other CUDA implementation is measured
// against.

#include <cub/device/device_scan.cuh>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_calls.cuh"
#include "concord/backends/cuda/cub_operators.cuh"

namespace concord::scan {
namespace {

class ScanCub : public ScanOnCuda<ScanCub> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const auto to = CubOutput(out.data<T>());
    return RunCub(scratch(), name(), [&](void* memory, std::size_t& bytes) {
      return options.kind == Kind::kInclusive
                 ? cub::DeviceScan::InclusiveScanInit(
                       memory, bytes, in.data<T>(), to, CubOperator<Op>(),
                       Op::Empty(), in.size(), stream())
                 : cub::DeviceScan::ExclusiveScan(
                       memory, bytes, in.data<T>(), to, CubOperator<Op>(),
                       Op::Empty(), in.size(), stream());
    });
  }
};

const bool kRegistered =
    RegisterOnCuda<ScanCub>("cub", /*rank=*/5, "DeviceScan of CUB",
                            ScanContract(Determinism::kNone, kOrderOfTiming));

}  // namespace
}  // namespace concord::scan
