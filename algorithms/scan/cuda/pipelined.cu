// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan in one pass over memory, on the pipeline of backends/cuda, whose
// method is that of D. Merrill and M. Garland ("Single-pass parallel prefix
// scan with decoupled look-back", 2016) with one gathering of aggregates in
// place of the chain of prefixes. Persistent blocks keep bulk copies under way
// while their warps work on older tiles, so the latency of the hand-over, which
// limits a look-back of one tile a block, costs nothing.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/scan/cuda/pipelined.cuh"
#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/native_minimum.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

class ScanPipelined : public ScanOnCuda<ScanPipelined> {
 public:
  explicit ScanPipelined(std::shared_ptr<Backend> backend)
      : ScanOnCuda(std::move(backend), "scan/cuda/pipelined"),
        launcher_(this->backend(), name()) {}

  template <typename SignFreeOp>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using Op = Native<SignFreeOp>;
    using T = typename Op::Element;
    const int64_t shift = ElementsPastBoundary(in.data<T>());
    return launcher_.Launch(
        ScanJob<Op>{ShiftedSpan(in.data<T>(), in.size(), shift),
                    ShiftedSpan(out.data<T>(), out.size(), shift),
                    options.kind == Kind::kInclusive});
  }

 private:
  PipelineLauncher launcher_;
};

Contract MakeContract() {
  Contract contract;
  contract.in_place = true;
  contract.determinism = Determinism::kRunToRun;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic in an order that depends on n, the "
      "alignment of `in` and the number of multiprocessors, so that the "
      "product of a stretch may overflow where no prefix does; min, max: NaN "
      "from the first NaN on, -0.0 < +0.0";
  // A tile, and one for each multiprocessor of an H100 or H200: from then on
  // blocks have more than one.
  constexpr std::int64_t kBlocks = 132;
  for (const std::int64_t tile :
       {ScanJob<Add<double>>::L::kTileElements,
        ScanJob<Add<float>>::L::kTileElements,
        ScanJob<Add<std::uint8_t>>::L::kTileElements}) {
    contract.boundaries.push_back(tile);
    contract.boundaries.push_back(kBlocks * tile);
  }
  contract.notes =
      "fastest where `in` and `out` have the same address modulo 16";
  return contract;
}

const bool kRegistered = Registry<Scan>::Get().Add(
    "cuda", "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<ScanPipelined>(std::move(backend));
    },
    PipelineRequirement());

}  // namespace
}  // namespace concord::scan
