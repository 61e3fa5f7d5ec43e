// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding as a job of backends/cuda/pipeline.cuh.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_

#include <cstdint>

#include "concord/algorithms/run_length_encode/cuda/segment.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::run_length_encode {

// RunSums of a tile in 32 bits: of 16 warps, with 2048 elements each at the
// most, so that both halves can be 2^15.
struct TileSums {
  using Element = uint32_t;
  __device__ static constexpr uint32_t Identity() { return 0; }
  __device__ __forceinline__ uint32_t operator()(uint32_t a, uint32_t b) const {
    return Make(Count(a) + Count(b), max(Last(a), Last(b)));
  }

  __device__ static uint32_t Make(uint32_t count, uint32_t last) {
    return last << 16 | count;
  }
  __device__ static uint32_t Count(uint32_t sums) { return sums & 0xffff; }
  __device__ static uint32_t Last(uint32_t sums) { return sums >> 16; }
};

// On an H200, 2^28 int32 in runs of 1 to 4 elements took 516 us with one
// gatherer and 497 with two, then 527 with a lag of 4; one run 356, 246 and
// 269. Earlier, with one gatherer, short runs took 583 and 525 with a lag of 2
// and 3, and 573 in place of 547 with five stages.
template <typename Word>
struct EncodeShape : PipelineShape {
  static constexpr int kLag = 3;
  static constexpr int kGatherers = 2;
  // The first element of a segment is compared with the one before it.
  static constexpr int kLeadVectors = 1;
  // Where runs start, for each lane.
  using Bits = typename RunStarts<Word>::Bits;
  static constexpr int kNoteBytes = kWarpSize * sizeof(Bits);

  // Of a warp: where it puts the positions of starts side by side.
  __device__ static uint16_t* Positions() {
    __shared__ uint16_t positions[kWarps * kTeams][kPositions];
    return positions[WarpId()];
  }
};

template <typename Word, typename Length,
          typename ShapeOfJob = EncodeShape<Word>>
struct EncodeJob {
  using Element = Word;
  using Aggregate = uint32_t;
  using Combine = TileSums;
  using Prefix = RunsBefore;
  using Shape = ShapeOfJob;
  using L = PipelineLayout<EncodeJob>;
  static_assert(Shape::kVectors == kSegmentVectors);
  // Lines of results that a warp has on their way, of those that a segment
  // makes at the most 17. (Short runs: 4, 8 and 17 took 547, 525 and 591 us.)
  static constexpr int kBatch = 8;

  Span<const Word> in;
  RunOutputs<Word, Length> out;
  int64_t* runs;

  __device__ static RunsBefore Empty() { return {0, -1}; }
  __device__ RunsBefore Lift(uint32_t sums, uint32_t tile) const {
    const uint32_t last = TileSums::Last(sums);
    return {TileSums::Count(sums),
            last == 0 ? -1 : tile * L::kTileElements + last - 1};
  }
  __device__ static RunsBefore Join(RunsBefore a, RunsBefore b) {
    return {a.count + b.count, max(a.start, b.start)};
  }
  __device__ static RunsBefore JoinLanes(RunsBefore before) {
    // The largest start, by its upper and its lower half.
    const auto start = static_cast<uint64_t>(before.start + 1);
    const auto upper = static_cast<uint32_t>(start >> 32);
    const uint32_t most = __reduce_max_sync(kWholeWarp, upper);
    const uint32_t lower = __reduce_max_sync(
        kWholeWarp, upper == most ? static_cast<uint32_t>(start) : 0);
    return {WarpReduce<Add<int64_t>>(before.count),
            static_cast<int64_t>(uint64_t{most} << 32 | lower) - 1};
  }
  // Never looked at.
  __device__ Word Absent() const { return 0; }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<Word>& segment) const {
    return ReduceBehind(TailBefore(segment), segment);
  }

  // Of a tile's segments but the first of all.
  __device__ __forceinline__ VectorTail<Word> TailBefore(
      const Segment<Word>& segment) const {
    // A segment past the end is not compared: the one before it may only now
    // be completed.
    return segment.first < in.end ? TailOf(segment.vectors[-1]) : 0;
  }

  // The segment comes after the element on top of `before`.
  __device__ __forceinline__ uint32_t
  ReduceBehind(VectorTail<Word> before, const Segment<Word>& segment) const {
    const auto starts =
        RunStarts<Word>::Find(in, segment.vectors, segment.first, before);
    NoteOf(segment) = starts.bits();
    const uint64_t sums = starts.Sums();
    const uint32_t last = RunSums::Last(sums);
    static_assert(L::kTileElements <= 1 << 15);
    const auto offset = static_cast<uint32_t>(segment.first % L::kTileElements);
    return TileSums::Make(RunSums::Count(sums), last == 0 ? 0 : last + offset);
  }

  __device__ __forceinline__ void Write(const Segment<Word>& segment,
                                        PipelineTurn<EncodeJob>& turn) const {
    WriteTurn(segment, turn, segment.first,
              [](const RunsBefore&) { return true; });
  }

  // The segment's first element has the number `first`. Writes nothing where
  // what is before it is not `right`.
  template <typename Turn, typename IsRight>
  __device__ __forceinline__ void WriteTurn(const Segment<Word>& segment,
                                            Turn& turn, int64_t first,
                                            const IsRight& right) const {
    const RunStarts<Word> starts(NoteOf(segment));
    const RunsBefore before = turn.AwaitPrefix();
    if (TileSums::Count(turn.total()) > 0 && right(before)) {
      WriteRuns<kBatch>(starts, segment.vectors, first, before, out,
                        Shape::Positions());
    }
    turn.Release();
  }

  __device__ void Finish(RunsBefore all) const {
    *runs = all.count;
    out.lengths[all.count - 1] = static_cast<Length>(in.end - all.start);
  }

 private:
  // This lane's.
  __device__ static auto& NoteOf(const Segment<Word>& segment) {
    return reinterpret_cast<typename Shape::Bits*>(segment.note)[LaneId()];
  }
};

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_
