// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction on several GPUs, on the pipeline of cuda/pipelined: each member
// reads the tiles that lie with it and stores what it keeps of them where that
// belongs, with whichever member. So an element crosses a link once or never.
//
// Striped arrays take one pass by all members together: each tells all others
// how many elements of a tile it keeps. Blocked arrays take two: a tile of the
// second member needs all of the first one's stretch, so each member counts
// what it keeps, tells those behind, and compacts its stretch.

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/pipelined.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"
#include "concord/core/operators.h"

namespace concord::compact {
namespace {

// A block adds up the words of all members, as that of scan/gpus/pipelined.
// They take their time to come, so no lag is shorter than the others.
template <typename Word, bool kAllOutputs>
struct GroupCompactShape : CompactShape<Word, kAllOutputs> {
  static constexpr int kGatherers = 2;
  static constexpr bool kLagVaries = false;
};

// Of an array, or of one member's stretch of it.
template <typename Word, bool kAllOutputs>
struct GroupCompactJob
    : CompactJob<Word, kAllOutputs, GroupCompactShape<Word, kAllOutputs>> {
  // Elements of the array before `in`.
  int64_t ahead;
  // Whether the array ends with `in`.
  bool is_last;

  // Places follow from what other members tell. One that gave up waiting has
  // numbers that mean nothing, with which it must not leave the array.
  __device__ __forceinline__ void Write(
      const Segment<Word>& segment, PipelineTurn<GroupCompactJob>& turn) const {
    const int kept = static_cast<int>(turn.total());
    const int64_t passed =
        ahead + max(segment.first, this->in.begin) - this->in.begin;
    const int64_t before = turn.AwaitPrefix();
    if (before >= 0 && before <= passed) {
      this->CopySegmentOut(segment, kept, before, ahead);
    }
    turn.Release();
  }

  __device__ void Finish(int64_t kept) const {
    if (is_last) SetCounts(this->to, min(max(kept, int64_t{0}), this->to.size));
  }
};

// --- How many elements of a stretch are kept ---

constexpr int kCountThreads = 512;
// 64 KiB under way in each block, as in share_passes.cuh.
constexpr int kCountLoads = 8;
constexpr std::int64_t kCountVectors = kCountThreads * kCountLoads;

// In a member's memory; zero between calls.
struct KeptCount {
  unsigned long long kept;
  unsigned arrivals;
};

template <typename Word>
__device__ __forceinline__ uint32_t CountVector(const KeptRange<Word>& keep,
                                                const Vector<Word>& vector) {
  uint32_t kept = 0;
#pragma unroll
  for (int k = 0; k < Vector<Word>::kLanes; ++k) {
    kept += keep.Keeps(vector.lane(k)) ? 1 : 0;
  }
  return kept;
}
__device__ __forceinline__ uint32_t CountVector(const ByteTest& keep,
                                                const Vector<uint8_t>& vector) {
  uint32_t kept = 0;
#pragma unroll
  for (uint32_t word : vector.word) {
    kept += __popc(keep.is_single ? keep.MarksOfSingle(word)
                                  : keep.MarksOfRange(word));
  }
  return kept;
}

// Of a vector that starts at element `first` and may not be all there.
template <typename Word>
__device__ uint32_t CountElements(const KeptRange<Word>& keep,
                                  Span<const Word> in, int64_t first) {
  const int64_t end = min(first + Vector<Word>::kLanes, in.end);
  uint32_t kept = 0;
  for (int64_t i = max(first, in.begin); i < end; ++i) {
    kept += keep.Keeps(in.base[i]) ? 1 : 0;
  }
  return kept;
}

// What a thread has of its block's 64 KiB.
template <typename Word>
__device__ __forceinline__ uint32_t
CountOfThread(Span<const Word> in, const KeptRange<Word>& keep,
              const DeviceTestOf<Word>& test) {
  constexpr int64_t kLanes = Vector<Word>::kLanes;
  const int64_t block_first = blockIdx.x * kCountVectors * kLanes;
  const int64_t first = block_first + threadIdx.x * kLanes;
  uint32_t kept = 0;
  if (in.HoldsVectors(block_first, kCountVectors * kLanes)) {
    Vector<Word> vectors[kCountLoads];
#pragma unroll
    for (int i = 0; i < kCountLoads; ++i) {
      vectors[i] = LoadVector(in, first + i * kCountThreads * kLanes);
    }
#pragma unroll
    for (int i = 0; i < kCountLoads; ++i) kept += CountVector(test, vectors[i]);
  } else {
#pragma unroll 1
    for (int i = 0; i < kCountLoads; ++i) {
      kept += CountElements(keep, in, first + i * kCountThreads * kLanes);
    }
  }
  return kept;
}

// A block for each 64 KiB of a stretch; the last one to finish tells.
template <typename Word>
__global__ void __launch_bounds__(kCountThreads)
    TellKept(Span<const Word> in, KeptRange<Word> keep, DeviceTestOf<Word> test,
             KeptCount* count, const __grid_constant__ Audience behind) {
  __shared__ unsigned kept_of_block;
  if (threadIdx.x == 0) kept_of_block = 0;
  __syncthreads();
  const uint32_t kept =
      WarpReduce<Add<uint32_t>>(CountOfThread(in, keep, test));
  if (LaneId() == 0) atomicAdd(&kept_of_block, kept);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&count->kept, static_cast<unsigned long long>(kept_of_block));
  }
  if (ArriveLast(&count->arrivals) && threadIdx.x == 0) {
    behind.Tell(static_cast<int64_t>(atomicExch(&count->kept, 0ull)));
  }
}

class CompactPipelined : public OnGpus<Compact> {
 public:
  using OnGpus<Compact>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    if (in.empty()) return StoreNoCounts(outputs);
    const GroupCut cut = GroupCut::Of(in, backend()->members());
    return DispatchCompact(
        in, outputs, options.keep, [&](const auto& keep, const auto& arrays) {
          const bool only_kept =
              arrays.rejected == nullptr && arrays.indices == nullptr;
          return only_kept ? Launch<false>(cut, keep, arrays)
                           : Launch<true>(cut, keep, arrays);
        });
  }

 private:
  absl::Status StoreNoCounts(const Outputs& outputs) {
    constexpr std::int64_t kNone = 0;
    const ConstArrayView none(&kNone, 1, Memory::Host());
    RETURN_IF_ERROR(backend()->Copy(none, outputs.count));
    if (!outputs.rejected_count.has_value()) return absl::OkStatus();
    return backend()->Copy(none, *outputs.rejected_count);
  }

  template <typename Word>
  static Span<const Word> SpanOf(const CompactArrays<Word>& arrays,
                                 const Stretch& stretch) {
    const Word* const first = arrays.in + stretch.begin;
    return AlignedSpan(first, stretch.end - stretch.begin);
  }

  template <bool kAllOutputs, typename Word>
  absl::Status Launch(const GroupCut& cut, const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    const auto job_of = [&](const Stretch& stretch) {
      return GroupCompactJob<Word, kAllOutputs>{
          {SpanOf(arrays, stretch), DeviceTest(keep), arrays},
          stretch.begin,
          stretch.end == arrays.size};
    };
    if (cut.TakesOnePass()) {
      return launcher_.RunInOnePass(job_of({0, arrays.size}), name());
    }
    return launcher_.RunByStretches(
        cut.set, [&](int i) { return job_of(cut.StretchOf(i)); },
        [&](int i, const Audience& behind) {
          return Tell(i, SpanOf(arrays, cut.StretchOf(i)), keep, behind);
        },
        name());
  }

  // Queues what tells the members behind this one how many it keeps.
  template <typename Word>
  absl::Status Tell(int member, Span<const Word> stretch,
                    const KeptRange<Word>& keep, const Audience& behind) {
    Scratch& scratch = scratch_[member];
    RETURN_IF_ERROR(scratch.Reserve<KeptCount>(1));
    const std::int64_t blocks =
        DivideUp(stretch.end, kCountVectors * Vector<Word>::kLanes);
    return QueueKernel(*backend()->member(member), name(), TellKept<Word>,
                       {blocks, kCountThreads}, stretch, keep, DeviceTest(keep),
                       scratch.data<KeptCount>(), behind);
  }

  GroupLauncher launcher_{backend()};
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
};

const bool kRegistered = RegisterOnGpus<CompactPipelined>(
    "pipelined", /*rank=*/20,
    "striped arrays in one pass by all members, blocked ones in two",
    CompactContract()
        .Boundaries(CompactPipelineBoundaries())
        .Boundaries(StripeBoundaries())
        .Keeps("a word for each tile in every member's memory, which later "
               "calls need not clear")
        .Notes("waits for other members with a limit: CONCORD_PATIENCE, in "
               "seconds; the same bits for any number of members and both "
               "layouts"),
    OfTheFirstMember(PipelineRequirement()));

}  // namespace
}  // namespace concord::compact
