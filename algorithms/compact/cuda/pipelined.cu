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
#include <type_traits>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

// Notes of which elements are kept need room of their own.
template <bool kWithNotes>
struct WordShape : PipelineShape {
  static constexpr int kNoteBytes = kWithNotes ? kSegmentBitsBytes : 0;
};

template <bool kWithNotes>
struct ByteShape : WordShape<kWithNotes> {
  __device__ static PackTable& Table() {
    __shared__ PackTable table;
    return table;
  }
  __device__ static void PrepareBlock() {
    if (threadIdx.x < 16) Table().Fill(threadIdx.x);
  }
};

// kAllOutputs: indices and rejected elements may be asked for as well.
template <typename Word, bool kAllOutputs>
struct CompactJob {
  using Element = Word;
  using Aggregate = uint32_t;
  using Combine = Add<uint32_t>;
  using Prefix = int64_t;
  using Shape = std::conditional_t<sizeof(Word) == 1, ByteShape<kAllOutputs>,
                                   WordShape<kAllOutputs>>;
  static_assert(Shape::kVectors == kSegmentVectors);

  Span<const Word> in;
  DeviceTestOf<Word> keep;
  CompactArrays<Word> to;

  __device__ static int64_t Empty() { return 0; }
  __device__ int64_t Lift(uint32_t kept, uint32_t) const { return kept; }
  __device__ static int64_t Join(int64_t a, int64_t b) { return a + b; }
  __device__ static int64_t JoinLanes(int64_t kept) {
    return WarpReduce<Add<int64_t>>(kept);
  }
  // Never looked at.
  __device__ Word Absent() const { return 0; }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<Word>& segment) const {
    uint16_t* const bits = kAllOutputs && to.indices != nullptr
                               ? reinterpret_cast<uint16_t*>(segment.note)
                               : nullptr;
    const SegmentPart part = SegmentPart::Of(in, segment.first);
    uint32_t kept;
    if constexpr (sizeof(Word) == 1) {
      kept = CompactSegment<kAllOutputs>(keep, part, Shape::Table(),
                                         segment.vectors, bits);
    } else {
      kept = CompactSegment<kAllOutputs>(keep, part, segment.vectors, bits);
    }
    FenceBeforeBulkCopy();
    return kept;
  }

  __device__ __forceinline__ void Write(const Segment<Word>& segment,
                                        PipelineTurn<CompactJob>& turn) const {
    const int kept = static_cast<int>(turn.total());
    const Word* const from = reinterpret_cast<const Word*>(segment.vectors);
    const int64_t before = turn.AwaitPrefix();
    CopyOut<kSegmentBatch>(to.kept + before, from, kept);
    if constexpr (kAllOutputs) {
      if (to.rejected != nullptr) {
        const SegmentPart part = SegmentPart::Of(in, segment.first);
        const int64_t passed = max(segment.first, in.begin) - in.begin;
        CopyOut<kSegmentBatch>(to.rejected + (passed - before), from + kept,
                               part.size() - kept);
      }
      if (to.indices != nullptr) {
        WriteIndices<Word>(reinterpret_cast<const uint16_t*>(segment.note),
                           segment.first - in.begin, to.indices + before);
      }
    }
    turn.Release();
  }

  __device__ void Finish(int64_t kept) const { SetCounts(to, kept); }
};

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
        .Boundaries(PipelineBoundaries(
            {PipelineLayout<CompactJob<uint64_t, false>>::kTileElements,
             PipelineLayout<CompactJob<uint32_t, false>>::kTileElements,
             PipelineLayout<CompactJob<uint8_t, false>>::kTileElements})),
    PipelineRequirement());

}  // namespace
}  // namespace concord::compact
