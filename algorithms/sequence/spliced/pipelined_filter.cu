// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The text of pipelined_filter.cuh into which functions are spliced.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/pipelined_arrays.h"
#include "concord/algorithms/sequence/spliced/pipelined_filter.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/vector.cuh"

namespace concord::sequence {

struct FilterVector {
  __device__ __forceinline__ uint32_t operator()(Vector<uint32_t>& vector,
                                                 int64_t first) const {
    uint32_t bits;
    asm("//CONCORD filter %0, %1, %2, %3, %4, %5"
        : "+r"(vector.word[0]), "+r"(vector.word[1]), "+r"(vector.word[2]),
          "+r"(vector.word[3]), "=&r"(bits)
        : "l"(first));
    return bits;
  }
};

using FilterJob = FilterJobOf<FilterVector>;

static_assert(FilterJob::kVectors == compact::kSegmentVectors);
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
