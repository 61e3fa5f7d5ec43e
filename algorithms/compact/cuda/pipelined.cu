// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction in one pass over memory, on the pipeline of backends/cuda, whose
// method is that of D. Merrill and M. Garland ("Single-pass parallel prefix
// scan with decoupled look-back", 2016) with one gathering of counts in place
// of the chain of prefixes. A warp compacts its segment of a tile in shared
// memory, where the bulk copy has brought it; once it is known what the tiles
// before keep, it only has to copy the segment out.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/pipelined.cuh"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

class CompactPipelined : public CompactOnCuda<CompactPipelined> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    if (arrays.size == 0) return StoreCounts(0, arrays);
    const bool only_kept =
        arrays.rejected == nullptr && arrays.indices == nullptr;
    return only_kept ? Launch<false>(keep, arrays) : Launch<true>(keep, arrays);
  }

 private:
  template <bool kAllOutputs, typename Word>
  absl::Status Launch(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    const int64_t shift = ElementsPastBoundary(arrays.in);
    return launcher_.Launch(
        CompactJob<Word, kAllOutputs>{
            ShiftedSpan(arrays.in, arrays.size, shift), DeviceTest(keep),
            arrays},
        name());
  }

  PipelineLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<CompactPipelined>(
    "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead",
    CompactContract()
        .Keeps(kKeepsTileWords)
        .Boundaries(CompactPipelineBoundaries()),
    PipelineRequirement());

}  // namespace
}  // namespace concord::compact
