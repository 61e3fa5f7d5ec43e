// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction as a job of backends/cuda/pipeline.cuh. A warp compacts its
// segment of a tile in shared memory, where the bulk copy has brought it; once
// it is known what the tiles before keep, it only has to copy the segment out.

#ifndef CONCORD_ALGORITHMS_COMPACT_CUDA_PIPELINED_CUH_
#define CONCORD_ALGORITHMS_COMPACT_CUDA_PIPELINED_CUH_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::compact {

// Notes of which elements are kept need room of their own.
//
// Where a tenth of 2^28 int32 is kept and nothing else is written, a
// multiprocessor of an H200 has 1.1 us for a tile, and one gatherer takes 1.4.
template <bool kWithNotes>
struct SelectShape : PipelineShape {
  static constexpr int kGatherers = kWithNotes ? 1 : 2;
  static constexpr int kNoteBytes = kWithNotes ? kSegmentBitsBytes : 0;
};

// A tile that waits is not loaded into meanwhile, which matters where little is
// written. (On an H200, 2^28 int32 of which 10, 30, 50 and 75 % were kept took
// 323, 362, 414 and 470 us with a lag of 4 tiles, 286, 341, 413 and 497 with 3;
// of 2^27 int64, 50 % took 408 and 443.)
template <typename Word, bool kWithNotes>
struct WordShape : SelectShape<kWithNotes> {
  static constexpr bool kLagVaries = !kWithNotes;
  __device__ static int LagAfter(uint32_t kept) {
    constexpr uint32_t kFew = kSegmentElements<Word> * 3 / 8;
    return kept < kFew ? WordShape::kLag - 1 : WordShape::kLag;
  }
};

template <bool kWithNotes>
struct ByteShape : SelectShape<kWithNotes> {
  __device__ static PackTable& Table() {
    __shared__ PackTable table;
    return table;
  }
  __device__ static void PrepareBlock() {
    if (threadIdx.x < 16) Table().Fill(threadIdx.x);
  }
};

template <typename Word, bool kAllOutputs>
using CompactShape =
    std::conditional_t<sizeof(Word) == 1, ByteShape<kAllOutputs>,
                       WordShape<Word, kAllOutputs>>;

// Lines that are on their way when a segment is copied out. (On an H200, 2^28
// int8 took 137 and 131 us with 9 and 4 lines if 10 % were kept, and 150 and
// 152 if 75 % were, then 149 with two gatherers; int32 and int64 the same.)
inline constexpr int kPipelinedBatch = 4;

// kAllOutputs: indices and rejected elements may be asked for as well.
template <typename Word, bool kAllOutputs,
          typename ShapeOfJob = CompactShape<Word, kAllOutputs>>
struct CompactJob {
  using Element = Word;
  using Aggregate = uint32_t;
  using Combine = Add<uint32_t>;
  using Prefix = int64_t;
  using Shape = ShapeOfJob;
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
    CopySegmentOut(segment, kept, turn.AwaitPrefix(), /*ahead=*/0);
    turn.Release();
  }

  // `kept` of the segment's elements stand at its front, of which the first is
  // number `before` of all that are kept; `ahead` elements of the whole array
  // precede `in`.
  __device__ __forceinline__ void CopySegmentOut(const Segment<Word>& segment,
                                                 int kept, int64_t before,
                                                 int64_t ahead) const {
    const Word* const from = reinterpret_cast<const Word*>(segment.vectors);
    CopyOut<kPipelinedBatch>(to.kept + before, from, kept);
    if constexpr (kAllOutputs) {
      if (to.rejected != nullptr) {
        const SegmentPart part = SegmentPart::Of(in, segment.first);
        const int64_t passed = ahead + max(segment.first, in.begin) - in.begin;
        CopyOut<kPipelinedBatch>(to.rejected + (passed - before), from + kept,
                                 part.size() - kept);
      }
      if (to.indices != nullptr) {
        WriteIndices<Word>(reinterpret_cast<const uint16_t*>(segment.note),
                           ahead + segment.first - in.begin,
                           to.indices + before);
      }
    }
  }

  __device__ void Finish(int64_t kept) const { SetCounts(to, kept); }
};

// Where the pipeline cuts arrays of each width.
inline std::vector<std::int64_t> CompactPipelineBoundaries() {
  return PipelineBoundaries(
      {PipelineLayout<CompactJob<uint64_t, false>>::kTileElements,
       PipelineLayout<CompactJob<uint32_t, false>>::kTileElements,
       PipelineLayout<CompactJob<uint8_t, false>>::kTileElements});
}

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_CUDA_PIPELINED_CUH_
