// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's scan, the peer that every other CUDA implementation is measured
// against.

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <memory>
#include <utility>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

// With scratch == nullptr, only sets `scratch_bytes`.
template <typename Op, typename T = typename Op::Element>
cudaError_t ScanWithCub(void* scratch, std::size_t& scratch_bytes, const T* in,
                        T* out, std::int64_t n, Scan::Kind kind,
                        cudaStream_t stream) {
  if (kind == Scan::Kind::kInclusive) {
    return cub::DeviceScan::InclusiveScanInit(scratch, scratch_bytes, in,
                                              CubOutput(out), CubOperator<Op>(),
                                              Op::Empty(), n, stream);
  }
  return cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, in,
                                        CubOutput(out), CubOperator<Op>(),
                                        Op::Empty(), n, stream);
}

class ScanCub : public ScanOnCuda<ScanCub> {
 public:
  explicit ScanCub(std::shared_ptr<Backend> backend)
      : ScanOnCuda(std::move(backend), "scan/cuda/cub") {}

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const auto scan = [&](void* scratch, std::size_t& bytes) {
      return CudaStatus(
          ScanWithCub<Op>(scratch, bytes, in.data<T>(), out.data<T>(),
                          in.size(), options.kind, stream()),
          name());
    };
    std::size_t bytes = 0;
    absl::Status status = scan(nullptr, bytes);
    if (status.ok()) {
      status = scratch().Reserve(static_cast<std::int64_t>(bytes));
    }
    return status.ok() ? scan(scratch().data(), bytes) : status;
  }
};

Contract MakeContract() {
  Contract contract;
  contract.in_place = true;
  contract.determinism = Determinism::kNone;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic in an order that depends on timing, so "
      "that the product of a stretch may overflow where no prefix does; min, "
      "max: NaN from the first NaN on, -0.0 < +0.0";
  return contract;
}

const bool kRegistered = Registry<Scan>::Get().Add(
    "cuda", "cub", /*rank=*/5, "DeviceScan of CUB", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<ScanCub>(std::move(backend));
    });

}  // namespace
}  // namespace concord::scan
