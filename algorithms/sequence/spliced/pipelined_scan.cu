// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans by built-in operators that give the same in any order, where the
// column, its states and the results have 4 bytes: the job of `scan` on the
// pipeline of backends/cuda, between a function of the elements and one of the
// results.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/algorithms/scan/cuda/pipelined.cuh"
#include "concord/algorithms/sequence/spliced/pipelined_arrays.h"
#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

// The pass's operator, as those of core/operators.h.
template <typename T>
struct SplicedOperator {
  using Element = T;

  __device__ __forceinline__ T operator()(T a, T b) const {
    return Combined({a}, {b}).word[0];
  }
  __device__ __forceinline__ static T Identity() { return Beginning().word[0]; }
  __device__ __forceinline__ static T Empty() { return Identity(); }
};
using Operator = SplicedOperator<uint32_t>;

// Puts the function of the column's four elements from element `first` on in
// their place.
__device__ __forceinline__ void Apply(Vector<uint32_t>& vector, int64_t first) {
  asm("//CONCORD apply %0, %1, %2, %3, %4"
      : "+r"(vector.word[0]), "+r"(vector.word[1]), "+r"(vector.word[2]),
        "+r"(vector.word[3])
      : "l"(first));
}

struct SplicedResults {
  __device__ __forceinline__ static void Finish(Vector<uint32_t>& vector,
                                                int64_t first) {
    asm("//CONCORD finish %0, %1, %2, %3, %4"
        : "+r"(vector.word[0]), "+r"(vector.word[1]), "+r"(vector.word[2]),
          "+r"(vector.word[3])
        : "l"(first));
  }
};

// Elements are functions of the column's from Reduce on.
struct SplicedScanJob
    : scan::ScanJob<Operator, scan::ScanShape<Operator>, SplicedResults> {
  __device__ __forceinline__ uint32_t
  Reduce(const Segment<uint32_t>& segment) const {
    const auto part = compact::SegmentPart::Of(in, segment.first);
    const bool whole = part.IsWhole<uint32_t>();
    uint32_t total = Operator::Identity();
#pragma unroll
    for (int i = 0; i < L::kVectors; ++i) {
      const int k = i * kWarpSize + LaneId();
      Vector<uint32_t> vector = segment.vectors[k];
      Apply(vector, segment.first - in.begin + k * Vector<uint32_t>::kLanes);
      if (!whole) SetAbsent(part.PresentBits<uint32_t>(k), vector);
      segment.vectors[k] = vector;
      const uint32_t of_vector = scan::Total<Operator>(vector);
      total = i == 0 ? of_vector : Combine()(total, of_vector);
    }
    __syncwarp();
    FenceBeforeBulkCopy();
    return WarpReduce<Combine>(total);
  }

 private:
  __device__ static void SetAbsent(uint32_t present, Vector<uint32_t>& vector) {
#pragma unroll
    for (int lane = 0; lane < Vector<uint32_t>::kLanes; ++lane) {
      if ((present >> lane & 1) == 0) vector.word[lane] = Operator::Identity();
    }
  }
};

static_assert(sizeof(SplicedScanJob) == sizeof(ScanArrays));
static_assert(PipelineLayout<SplicedScanJob>::kTileElements == kPipelinedTile);
static_assert(PipelineLayout<SplicedScanJob>::kThreads == kPipelinedThreads);
static_assert(PipelineLayout<SplicedScanJob>::kSharedBytes ==
              kPipelinedSharedBytes);

// As that of pipelined_filter.cu.
extern "C" __global__ void __launch_bounds__(kPipelinedThreads, 1)
    concord_scan(const __grid_constant__ spliced::Arguments arguments,
                 const __grid_constant__ SplicedScanJob job, uint32_t tiles,
                 unsigned long long* counter, AggregateWord<uint32_t>* words) {
  RunPipelineBlock<PipelineExchange<SplicedScanJob>>(
      job, tiles, AllTiles{tiles}, counter, words);
}

}  // namespace concord::sequence
