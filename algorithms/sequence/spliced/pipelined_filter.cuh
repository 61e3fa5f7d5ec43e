// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements for which a function is true, in order, where both the column and
// the results have 4 bytes: on the pipeline of backends/cuda, as `compact` has
// them. Results take the place of the column's elements in shared memory, and
// are computed once.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_FILTER_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_FILTER_CUH_

#include <cstdint>

#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::sequence {

// `Function` puts results in place of the vector's elements from element
// `first` on, and says by a bit for each which are kept. `kBatch`: lines that
// CopyOut has on their way.
template <typename Function, typename ShapeOfJob = PipelineShape,
          int kBatch = compact::kSegmentBatch>
struct FilterJobOf {
  using Element = uint32_t;
  using Aggregate = uint32_t;
  using Combine = concord::Add<uint32_t>;
  using Prefix = int64_t;
  using Shape = ShapeOfJob;
  static constexpr int kVectors = Shape::kVectors;

  // As in FilterArrays (pipelined_arrays.h).
  Span<const uint32_t> in;
  uint32_t* kept;
  int64_t* all;

  __device__ static int64_t Empty() { return 0; }
  __device__ int64_t Lift(uint32_t count, uint32_t) const { return count; }
  __device__ static int64_t Join(int64_t a, int64_t b) { return a + b; }
  __device__ static int64_t JoinLanes(int64_t count) {
    return WarpReduce<concord::Add<int64_t>>(count);
  }
  __device__ uint32_t Absent() const { return 0; }
  __device__ void Finish(int64_t count) const { *all = count; }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<uint32_t>& segment) const {
    Vector<uint32_t> vectors[kVectors];
    uint32_t bits[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      vectors[i] = segment.vectors[i * kWarpSize + LaneId()];
    }
    const int64_t first =
        segment.first - in.begin + LaneId() * Vector<uint32_t>::kLanes;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      bits[i] = Function()(vectors[i],
                           first + i * kWarpSize * Vector<uint32_t>::kLanes);
    }
    const auto part = compact::SegmentPart::Of(in, segment.first);
    if (!part.IsWhole<uint32_t>()) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        bits[i] &= part.PresentBits<uint32_t>(i * kWarpSize + LaneId());
      }
    }
    const auto counts = compact::StepCounts::Of(bits);
    __syncwarp();
    compact::StoreMarked(vectors, bits, counts,
                         reinterpret_cast<uint32_t*>(segment.vectors));
    __syncwarp();
    FenceBeforeBulkCopy();
    return counts.total();
  }

  __device__ __forceinline__ void Write(const Segment<uint32_t>& segment,
                                        PipelineTurn<FilterJobOf>& turn) const {
    const int count = static_cast<int>(turn.total());
    const int64_t before = turn.AwaitPrefix();
    CopyOut<kBatch>(kept + before,
                    reinterpret_cast<const uint32_t*>(segment.vectors), count);
    turn.Release();
  }
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_FILTER_CUH_
