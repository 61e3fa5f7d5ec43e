// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan in one pass over memory, on the pipeline of backends/cuda, whose
// method is that of D. Merrill and M. Garland ("Single-pass parallel prefix
// scan with decoupled look-back", 2016) with one gathering of aggregates in
// place of the chain of prefixes. Persistent blocks keep bulk copies under way
// while their warps work on older tiles, so the latency of the hand-over, which
// limits a look-back of one tile a block, costs nothing. Few elements go to
// few_tiles.cuh, where there is less to set up.

#include <cstdint>

#include "concord/algorithms/scan/cuda/few_tiles.cuh"
#include "concord/algorithms/scan/cuda/pipelined.cuh"
#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/native_minimum.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

class ScanPipelined : public ScanOnCuda<ScanPipelined> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename SignFreeOp>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using Op = Native<SignFreeOp>;
    using T = typename Op::Element;
    const int64_t shift = ElementsPastBoundary(in.data<T>());
    const auto from = ShiftedSpan(in.data<T>(), in.size(), shift);
    const auto to = ShiftedSpan(out.data<T>(), out.size(), shift);
    const bool inclusive = options.kind == Kind::kInclusive;
    if (FewTilesLauncher::Takes(from, to)) {
      return few_tiles_.Launch<Op>(from, to, inclusive, name());
    }
    return launcher_.Launch(ScanJob<Op>{from, to, inclusive}, name());
  }

 private:
  PipelineLauncher launcher_{backend()};
  FewTilesLauncher few_tiles_{backend()};
};

const bool kRegistered = RegisterOnCuda<ScanPipelined>(
    "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead",
    ScanContract(Determinism::kRunToRun,
                 " in an order that depends on n, the alignment of `in`, "
                 "whether that of `out` is the same, the number of "
                 "multiprocessors and whether eight blocks make a cluster, so "
                 "that the product of some stretches may overflow where no "
                 "prefix does")
        .Boundaries(
            PipelineBoundaries({ScanJob<Add<double>>::L::kTileElements,
                                ScanJob<Add<float>>::L::kTileElements,
                                ScanJob<Add<std::uint8_t>>::L::kTileElements}))
        // A tile of few elements, two of a cluster, and where the tiles
        // change.
        .Boundaries(
            {FewTilesPolicy<1>::kTileBytes, 2 * FewTilesPolicy<1>::kTileBytes,
             kClusterBytes<1>, kClusterBytes<2>, kFewTilesBytes<1>,
             kFewTilesBytes<2>, kFewTilesBytes<4>},
            {sizeof(uint8_t), sizeof(uint32_t), sizeof(uint64_t)})
        .Keeps(kKeepsTileWords)
        .Notes("fastest where `in` and `out` have the same address modulo 16"),
    PipelineRequirement());

}  // namespace
}  // namespace concord::scan
