// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction in one pass over memory, on the pipeline of backends/cuda, whose
// method is that of D. Merrill and M. Garland ("Single-pass parallel prefix
// scan with decoupled look-back", 2016) with one gathering of counts in place
// of the chain of prefixes. A warp compacts its segment of a tile in shared
// memory, where the bulk copy has brought it; once it is known what the tiles
// before keep, it only has to copy the segment out. Of few elements one block
// takes care without any of that: setting it up takes longer.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/pipelined.cuh"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

// What one block compacts: some elements of each thread, in registers.
constexpr int kBlockThreads = 1024;
constexpr int kBlockItems = 4;
constexpr int64_t kMostOfOneBlock = kBlockThreads * kBlockItems;

// It waits for the grid before.
template <typename Word>
__global__ void __launch_bounds__(kBlockThreads)
    CompactInOneBlock(KeptRange<Word> keep, CompactArrays<Word> to) {
  LetNextGridStart();
  WaitForGridBefore();
  constexpr int kWarps = kBlockThreads / kWarpSize;
  static_assert(kWarps == kWarpSize);
  __shared__ int warp_kept[kWarps];
  const int n = static_cast<int>(to.size);
  // Few elements are spread over all warps, each of which has a stretch.
  const int rows = (n + kBlockThreads - 1) / kBlockThreads;
  const int mine = WarpId() * rows * kWarpSize + LaneId();
  Word elements[kBlockItems];
  unsigned kept[kBlockItems];
  int total = 0;
#pragma unroll
  for (int i = 0; i < kBlockItems; ++i) {
    const int place = mine + i * kWarpSize;
    const bool present = i < rows && place < n;
    elements[i] = present ? to.in[place] : Word{0};
    kept[i] = __ballot_sync(kWholeWarp, present && keep.Keeps(elements[i]));
    total += __popc(kept[i]);
  }
  if (LaneId() == 0) warp_kept[WarpId()] = total;
  __syncthreads();
  const int of_warp = warp_kept[LaneId()];
  int before = WarpReduce<Add<int>>(LaneId() < WarpId() ? of_warp : 0);
  const int all = WarpReduce<Add<int>>(of_warp);
#pragma unroll
  for (int i = 0; i < kBlockItems; ++i) {
    const int place = mine + i * kWarpSize;
    if (i >= rows) break;
    const int target = before + __popc(kept[i] & ((1u << LaneId()) - 1));
    before += __popc(kept[i]);
    if ((kept[i] >> LaneId() & 1) != 0) {
      to.kept[target] = elements[i];
      if (to.indices != nullptr) to.indices[target] = place;
    } else if (to.rejected != nullptr && place < n) {
      to.rejected[place - target] = elements[i];
    }
  }
  if (threadIdx.x == 0) SetCounts(to, all);
}

class CompactPipelined : public CompactOnCuda<CompactPipelined> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    if (arrays.size <= kMostOfOneBlock) {
      return one_block_.Queue(name(), CompactInOneBlock<Word>,
                              {1, kBlockThreads}, keep, arrays);
    }
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
  DependentLauncher one_block_{backend()};
};

const bool kRegistered = RegisterOnCuda<CompactPipelined>(
    "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead",
    CompactContract()
        .Keeps(kKeepsTileWords)
        .Boundaries({kBlockThreads, kMostOfOneBlock})
        .Boundaries(CompactPipelineBoundaries()),
    PipelineRequirement());

}  // namespace
}  // namespace concord::compact
