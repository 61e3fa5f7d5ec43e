// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The reduction of M. Harris, "Optimizing parallel reduction in CUDA" (2007):
// each thread adds up some elements of its own, and the block combines what its
// threads have by a tree in shared memory, in which the threads that are still
// at work and the places that they use stay side by side. Further launches
// reduce the results of the blocks in the same way.
//
// That is the tree of reduce.h, which halves for the same reason: a thread's
// own elements are a lane of a segment, and the block takes a chunk.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/run.cuh"

namespace concord::reduce {
namespace {

constexpr int kThreads = 512;

template <typename T>
constexpr int kLanes = Reduce::kRowBytes / sizeof(T);
template <typename T>
constexpr int64_t kSegmentElements = Reduce::kSegmentBytes / sizeof(T);
template <typename T>
constexpr int64_t kChunkElements = Reduce::kChunkBytes / sizeof(T);

// What lane `lane` of a segment amounts to; `first` is the segment's first
// element.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T ReduceLane(const T* in, int64_t n, int64_t first,
                                        int lane) {
  T sum = Op::Identity();
  if (first + kSegmentElements<T> <= n) {
#pragma unroll 8
    for (int row = 0; row < Reduce::kRowsPerSegment; ++row) {
      sum = Op()(sum, in[first + row * kLanes<T> + lane]);
    }
  } else {
    for (int64_t i = first + lane; i < n; i += kLanes<T>)
      sum = Op()(sum, in[i]);
  }
  return sum;
}

// A chunk for each block. The last launch, of one block, leaves the result.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads)
    ReduceChunks(const T* in, int64_t n, T* results) {
  constexpr int kSegments = Reduce::kSegmentsPerChunk;
  __shared__ T lanes[kSegments * kLanes<T>];
  const int64_t chunk_first = blockIdx.x * kChunkElements<T>;
  for (int i = threadIdx.x; i < kSegments * kLanes<T>; i += kThreads) {
    lanes[i] =
        ReduceLane<Op>(in, n, chunk_first + i / kLanes<T> * kSegmentElements<T>,
                       i % kLanes<T>);
  }
  // All segments at the same time, until each has one value left. They stay
  // where they are, so that the halves never overlap.
  for (int half = kLanes<T> / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < kSegments * half; i += kThreads) {
      T* const value = &lanes[i / half * kLanes<T> + i % half];
      *value = Op()(value[0], value[half]);
    }
  }
  for (int half = kSegments / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      T* const value = &lanes[threadIdx.x * kLanes<T>];
      *value = Op()(value[0], value[half * kLanes<T>]);
    }
  }
  if (threadIdx.x == 0) {
    results[blockIdx.x] = gridDim.x > 1 ? lanes[0] : CanonicalNan(lanes[0]);
  }
}

class ReduceSharedMemory : public ReduceOnCuda<ReduceSharedMemory> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    const auto chunks_of = [](int64_t n) {
      return DivideUp(n, kChunkElements<T>);
    };
    int64_t results = 0;
    for (int64_t chunks = chunks_of(in.size()); chunks > 1;) {
      results += chunks;
      chunks = chunks_of(chunks);
    }
    absl::Status status = scratch().Reserve<T>(results);
    T* level = scratch().data<T>();
    const T* from = in.data<T>();
    int64_t n = in.size();
    while (status.ok()) {
      const int64_t chunks = chunks_of(n);
      T* const to = chunks == 1 ? out.data<T>() : level;
      status = Queue(ReduceChunks<Op>, {chunks, kThreads}, from, n, to);
      if (chunks == 1) break;
      from = level;
      n = chunks;
      level += chunks;
    }
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<ReduceSharedMemory>(
    "shared_memory", /*rank=*/2,
    "Harris: a tree in shared memory for each block",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        .Boundaries(
            {Reduce::kRowBytes, Reduce::kSegmentBytes, Reduce::kChunkBytes},
            {1, 4, 8}));

}  // namespace
}  // namespace concord::reduce
