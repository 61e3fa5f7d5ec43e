// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding as a job of backends/cuda/pipeline.cuh.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_

#include <cstdint>

#include "algorithms/run_length_encode/run_length_encode_cuda_segment.cuh"
#include "backends/cuda/pipeline.cuh"
#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"
#include "core/operators.h"

namespace concord {

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

struct EncodeShape : PipelineShape {
  // The first element of a segment is compared with the one before it.
  static constexpr int kLeadVectors = 1;

  // Of a warp: where it puts the positions of starts side by side.
  __device__ static uint16_t* Positions() {
    __shared__ uint16_t positions[kWarps][kPositions];
    return positions[WarpId()];
  }
};

template <typename Word, typename Length>
struct EncodeJob {
  using Element = Word;
  using Aggregate = uint32_t;
  using Combine = TileSums;
  using Prefix = RunsBefore;
  using Shape = EncodeShape;
  using L = PipelineLayout<EncodeJob>;
  static_assert(Shape::kVectors == kSegmentVectors);
  static_assert(L::kTileElements <= 1 << 15);

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
    return {WarpReduce<Add<int64_t>>(before.count),
            WarpReduce<Maximum<int64_t>>(before.start)};
  }
  // Never looked at.
  __device__ Word Absent() const { return 0; }

  __device__ __forceinline__ uint64_t Find(const Segment<Word>& segment,
                                           RunStarts<Word>& starts) const {
    const Word before = segment.vectors[-1].lane(Vector<Word>::kLanes - 1);
    return starts.Find(in, segment.vectors, segment.first, before);
  }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<Word>& segment) const {
    RunStarts<Word> starts;
    const uint64_t sums = Find(segment, starts);
    const uint32_t last = RunSums::Last(sums);
    const auto offset = static_cast<uint32_t>(segment.first % L::kTileElements);
    return TileSums::Make(RunSums::Count(sums), last == 0 ? 0 : last + offset);
  }

  __device__ __forceinline__ void Write(const Segment<Word>& segment,
                                        PipelineTurn<EncodeJob>& turn) const {
    const bool any = TileSums::Count(turn.total()) > 0;
    RunStarts<Word> starts;
    // Sooner done again than kept.
    if (any) Find(segment, starts);
    const RunsBefore before = turn.AwaitPrefix();
    if (any) {
      WriteRuns(starts, segment.vectors, segment.first, before, out,
                Shape::Positions());
    }
    turn.Release();
  }

  __device__ void Finish(RunsBefore all) const {
    *runs = all.count;
    out.lengths[all.count - 1] = static_cast<Length>(in.end - all.start);
  }
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_PIPELINED_CUH_
