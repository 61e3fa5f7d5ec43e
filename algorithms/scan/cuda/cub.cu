// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's scan, the peer that every other CUDA implementation is measured
// against. Sums are asked for by name and counted with 32 bits where those
// suffice (README.md says what it gains); other operators count with 64 bits
// always, to spare compiling.

#include <cub/device/device_scan.cuh>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cub_peer.cuh"

namespace concord::scan {
namespace {

class ScanCub : public ScanOnCuda<ScanCub> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const bool inclusive = options.kind == Kind::kInclusive;
    const T* const from = in.data<T>();
    const auto to = CubOutput(out.data<T>());
    return memory_.Run(name(), [&](void* memory, std::size_t& bytes) {
      if constexpr (kIsAdd<Op>) {
        return WithNarrowCount(in.size(), [&](auto n) {
          return inclusive ? cub::DeviceScan::InclusiveSum(memory, bytes, from,
                                                           to, n, stream())
                           : cub::DeviceScan::ExclusiveSum(memory, bytes, from,
                                                           to, n, stream());
        });
      } else {
        return inclusive ? cub::DeviceScan::InclusiveScan(memory, bytes, from,
                                                          to, CubOperator<Op>(),
                                                          in.size(), stream())
                         : cub::DeviceScan::ExclusiveScan(
                               memory, bytes, from, to, CubOperator<Op>(),
                               Op::Empty(), in.size(), stream());
      }
    });
  }

 private:
  CubMemory memory_{backend()};
};

const bool kRegistered =
    RegisterOnCuda<ScanCub>("cub", /*rank=*/5, "DeviceScan of CUB",
                            ScanContract(Determinism::kNone, kOrderOfTiming));

}  // namespace
}  // namespace concord::scan
