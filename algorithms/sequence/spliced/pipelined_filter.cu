// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements for which a function is true, in order, where both the column and
// the results have 4 bytes: on the pipeline of backends/cuda, as `compact` has
// them. Results take the place of the column's elements in shared memory, and
// are computed once.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/algorithms/sequence/spliced/pipelined_arrays.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/operators.h"

namespace concord::sequence {

// Puts results in place of the column's four elements from element `first` on;
// bit k is whether that of element k is kept.
__device__ __forceinline__ uint32_t FilterVector(Vector<uint32_t>& vector,
                                                 int64_t first) {
  uint32_t bits;
  asm("//CONCORD filter %0, %1, %2, %3, %4, %5"
      : "+r"(vector.word[0]), "+r"(vector.word[1]), "+r"(vector.word[2]),
        "+r"(vector.word[3]), "=&r"(bits)
      : "l"(first));
  return bits;
}

struct FilterJob {
  using Element = uint32_t;
  using Aggregate = uint32_t;
  using Combine = concord::Add<uint32_t>;
  using Prefix = int64_t;
  using Shape = PipelineShape;
  static constexpr int kVectors = Shape::kVectors;
  static_assert(kVectors == compact::kSegmentVectors);

  // As in FilterArrays.
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
      bits[i] = FilterVector(vectors[i],
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
                                        PipelineTurn<FilterJob>& turn) const {
    const int count = static_cast<int>(turn.total());
    const int64_t before = turn.AwaitPrefix();
    CopyOut<compact::kSegmentBatch>(
        kept + before, reinterpret_cast<const uint32_t*>(segment.vectors),
        count);
    turn.Release();
  }
};

static_assert(sizeof(FilterJob) == sizeof(FilterArrays));
static_assert(PipelineLayout<FilterJob>::kTileElements == kPipelinedTile);
static_assert(PipelineLayout<FilterJob>::kThreads == kPipelinedThreads);
static_assert(PipelineLayout<FilterJob>::kSharedBytes == kPipelinedSharedBytes);

// RunPipeline (backends/cuda/pipeline.cuh) under a name of its own, with the
// arguments that functions find. The job is one, too, so that it stays where
// all threads can read it: as a variable it would be in each thread's memory.
extern "C" __global__ void __launch_bounds__(kPipelinedThreads, 1)
    concord_filter(const __grid_constant__ spliced::Arguments arguments,
                   const __grid_constant__ FilterJob job, uint32_t tiles,
                   unsigned long long* counter,
                   AggregateWord<uint32_t>* words) {
  RunPipelineBlock<PipelineExchange<FilterJob>>(job, tiles, AllTiles{tiles},
                                                counter, words);
}

}  // namespace concord::sequence
