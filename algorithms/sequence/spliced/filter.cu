// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements for which a function is true, in order: what each block keeps is
// counted, added up, and then put where it belongs.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::sequence {

__device__ __forceinline__ bool Keeps(int64_t element) {
  uint32_t keep;
  asm volatile("//CONCORD keep %0, %1" : "=r"(keep) : "l"(element));
  return keep != 0;
}

// Calls f(element, whether it is kept) for each of the thread's elements, in
// all threads at once; those past the end are not kept.
template <typename F>
__device__ __forceinline__ void ForEachElement(int64_t end, F f) {
  const int64_t first = int64_t{blockIdx.x} * kFilterChunk + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < kFilterChunk; k += kFilterThreads) {
    const int64_t i = first + k;
    bool kept = false;
    if (i < end) kept = Keeps(i);
    f(i, kept);
  }
}

// counts[b]: of what block b keeps.
extern "C" __global__ void __launch_bounds__(kFilterThreads)
    concord_filter_count(const __grid_constant__ spliced::Arguments arguments,
                         int64_t* counts) {
  int64_t count = 0;
  ForEachElement(arguments.end, [&](int64_t, bool kept) {
    count += __syncthreads_count(kept);
  });
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// Puts in place of each of `blocks` counts the sum of those before it, and
// behind the last one the sum of all. One block; a thread for each stretch.
extern "C" __global__ void __launch_bounds__(kFilterSumThreads)
    concord_filter_sums(const __grid_constant__ spliced::Arguments arguments,
                        int64_t blocks, int64_t* counts) {
  __shared__ int64_t sums[kFilterSumThreads];
  const int64_t stretch = (blocks + kFilterSumThreads - 1) / kFilterSumThreads;
  const int64_t first = min(int64_t{threadIdx.x} * stretch, blocks);
  const int64_t end = min(first + stretch, blocks);
  int64_t sum = 0;
  for (int64_t b = first; b < end; ++b) sum += counts[b];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = 1; step < kFilterSumThreads; step *= 2) {
    const int64_t before =
        threadIdx.x >= step ? sums[threadIdx.x - step] : int64_t{0};
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  int64_t before = sums[threadIdx.x] - sum;
  for (int64_t b = first; b < end; ++b) {
    const int64_t count = counts[b];
    counts[b] = before;
    before += count;
  }
  if (threadIdx.x == kFilterSumThreads - 1) counts[blocks] = before;
}

// `starts`: where what each block keeps belongs.
extern "C" __global__ void __launch_bounds__(kFilterThreads)
    concord_filter_put(const __grid_constant__ spliced::Arguments arguments,
                       const int64_t* starts) {
  constexpr int kWarp = 32;
  constexpr int kWarps = kFilterThreads / kWarp;
  __shared__ int kept_by_warp[kWarps];
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned warp = threadIdx.x / kWarp;
  int64_t at = starts[blockIdx.x];
  ForEachElement(arguments.end, [&](int64_t i, bool kept) {
    const unsigned ballot = __ballot_sync(~0u, kept);
    if (lane == 0) kept_by_warp[warp] = __popc(ballot);
    __syncthreads();
    int before = __popc(ballot & ((1u << lane) - 1));
    int all = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      if (w < warp) before += kept_by_warp[w];
      all += kept_by_warp[w];
    }
    if (kept) {
      asm volatile("//CONCORD put %0, %1"
                   :
                   : "l"(i), "l"(at + before)
                   : "memory");
    }
    at += all;
    // The next counts come after everybody has read these.
    __syncthreads();
  });
}

}  // namespace concord::sequence
