// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h for far fewer chunks than multiprocessors, where the
// order matters: segments are spread over blocks, whose threads all load rows
// of a segment before a warp combines them. And arrays of so few vectors that a
// block loads all at once, where the order is free.

#ifndef CONCORD_ALGORITHMS_REDUCE_CUDA_FEW_CHUNKS_CUH_
#define CONCORD_ALGORITHMS_REDUCE_CUDA_FEW_CHUNKS_CUH_

#include <cstdint>

#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/reduce/cuda/tree_memory.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::reduce {

// Of so many segments a block has room for all rows in shared memory.
inline constexpr int kSegmentsInShared = 2;

template <typename T>
using SharedRows =
    Vector<T>[kSegmentsInShared * Reduce::kRowsPerSegment][kWarpSize];

// The results of `count` segments from `first_segment` on, up to
// kSegmentsInShared, each in lane 0 of the warp of its number. All rows are
// under way at once: where the data is in no cache, each further wait takes
// half a microsecond. All threads of a block call it.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T ReduceSegmentsAtOnce(Span<const T> in,
                                                  int64_t first_segment,
                                                  int count,
                                                  SharedRows<T>& rows) {
  constexpr int kRowsOfWarp =
      kSegmentsInShared * Reduce::kRowsPerSegment / kTreeWarps;
  constexpr int64_t kRow = kTreeRowElements<T>;
  const int64_t first =
      first_segment * Reduce::kRowsPerSegment * kRow +
      LaneId() * Vector<T>::kLanes;
  const int wanted = count * Reduce::kRowsPerSegment;
  const auto is_whole = [&](int row) {
    return row < wanted &&
           in.HoldsVectors(first + row * kRow, Vector<T>::kLanes);
  };
  Vector<T> whole[kRowsOfWarp];
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    const int row = i * kTreeWarps + WarpId();
    if (is_whole(row)) whole[i] = LoadVector(in, first + row * kRow);
  }
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    const int row = i * kTreeWarps + WarpId();
    if (is_whole(row)) rows[row][LaneId()] = whole[i];
  }
  // Where the array ends, and at an address without vectors.
#pragma unroll 1
  for (int row = WarpId(); row < wanted; row += kTreeWarps) {
    if (is_whole(row)) continue;
    rows[row][LaneId()] = LoadElements(in, first + row * kRow, Op::Identity());
  }
  __syncthreads();
  if (WarpId() >= count) return Op::Identity();
  Accumulator<Op> accumulator;
#pragma unroll
  for (int row = 0; row < Reduce::kRowsPerSegment; ++row) {
    accumulator.Add(rows[WarpId() * Reduce::kRowsPerSegment + row][LaneId()]);
  }
  return accumulator.Combine();
}

// Up to so many segments are for one block, which is done before several could
// tell each other anything.
inline constexpr int kFewSegments = 4;

// An array of as many segments as the block has warps, at an address of
// vectors. All rows are under way at once here, too, into registers. With
// kWhole it ends with a vector: there is less code to fetch, which takes longer
// than to run it where it is in no cache.
template <typename Op, bool kWhole, typename T = typename Op::Element>
__global__ void __launch_bounds__(kFewSegments* kWarpSize, 1)
    ReduceFewSegments(Span<const T> in, T* out) {
  __shared__ T results[kFewSegments];
  StartBesideGridBefore();
  constexpr int kLanes = Vector<T>::kLanes;
  constexpr int64_t kRow = kTreeRowElements<T>;
  constexpr int64_t kSegment = Reduce::kRowsPerSegment * kRow;
  const int64_t first = WarpId() * kSegment + LaneId() * kLanes;
  Vector<T> rows[Reduce::kRowsPerSegment];
#pragma unroll
  for (int row = 0; row < Reduce::kRowsPerSegment; ++row) {
    const int64_t at = first + row * kRow;
    rows[row] =
        at + kLanes <= in.end ? LoadVector(in, at) : Filled(Op::Identity());
  }
  Accumulator<Op> accumulator;
#pragma unroll
  for (const Vector<T>& row : rows) accumulator.Add(row);
  if constexpr (!kWhole) {
    // The vector in which the array ends is the last of those that its thread
    // has: of the rows behind it there is nothing.
    const int64_t last = in.end / kLanes * kLanes;
    if (last < in.end && last >= first && last < first + kSegment &&
        (last - first) % kRow == 0) {
      accumulator.Add(LoadElements(in, last, Op::Identity()));
    }
  }
  const T segment = accumulator.Combine();
  const int segments = static_cast<int>(blockDim.x) / kWarpSize;
  if (segments == 1) {
    if (LaneId() == 0) *out = CanonicalNan(segment);
    return;
  }
  if (LaneId() == 0) results[WarpId()] = segment;
  __syncthreads();
  if (WarpId() > 0) return;
  const T result = WarpHalve<Op, kFewSegments>(
      LaneId() < segments ? results[LaneId()] : Op::Identity());
  if (LaneId() == 0) *out = CanonicalNan(result);
}

// The segments of `chunks` chunks, `here` by each block. Blocks tell their
// results, of which there are up to kMostTold, as in ReduceTree.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, 1)
    ReduceSegments(Span<const T> in, TreeCut<T> cut, int here, int chunks,
                   char* memory, T* out) {
  __shared__ SharedRows<T> rows;
  __shared__ ToldResults<T> told;
  StartBesideGridBefore();
  const int first = static_cast<int>(blockIdx.x) * here;
  const T segment = ReduceSegmentsAtOnce<Op>(in, first, here, rows);
  if (WarpId() < here && LaneId() == 0) {
    Tell(ToldAt(memory, first + WarpId()), segment);
  }
  if (blockIdx.x + 1 < gridDim.x) return;
  for (int chunk = WarpId(); chunk < chunks; chunk += kTreeWarps) {
    T value = Op::Identity();
    if (LaneId() < kTreeWarps) {
      value = TakeTold<T>(ToldAt(memory, chunk * kTreeWarps + LaneId()));
    }
    __syncwarp();
    const T result = WarpHalve<Op, kTreeWarps>(value);
    if (LaneId() == 0) told.chunk[chunk] = result;
  }
  const T result = CombineTold<Op, UsualUnrolling<T>>(cut, chunks, told);
  if (threadIdx.x == 0) *out = CanonicalNan(result);
}

// Vectors of each thread that are under way at once.
inline constexpr int kVectorsAtOnce = 4;
inline constexpr int64_t kBytesAtOnce =
    int64_t{kVectorsAtOnce} * kTreeThreads * kVectorBytes;

// Arrays that end before kBytesAtOnce, by one block, in any order. With kWhole
// they are of whole vectors, and half as many bytes: fewer threads start
// sooner.
template <bool kWhole>
inline constexpr int kThreadsAtOnce = kWhole ? kTreeThreads / 2 : kTreeThreads;
template <typename Op, bool kWhole, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreadsAtOnce<kWhole>, 1)
    ReduceAtOnce(Span<const T> in, T* out) {
  constexpr int kThreads = kThreadsAtOnce<kWhole>;
  constexpr int kWarps = kThreads / kWarpSize;
  constexpr int kLanes = Vector<T>::kLanes;
  __shared__ T warps[kWarps];
  StartBesideGridBefore();
  Vector<T> vectors[kVectorsAtOnce];
#pragma unroll
  for (int i = 0; i < kVectorsAtOnce; ++i) {
    const int64_t first = int64_t{i * kThreads + threadIdx.x} * kLanes;
    vectors[i] = in.HoldsVectors(first, kLanes) ? LoadVector(in, first)
                                                : Filled(Op::Identity());
  }
  Accumulator<Op> accumulator;
#pragma unroll
  for (const Vector<T>& vector : vectors) accumulator.Add(vector);
  if constexpr (!kWhole) {
    // The first vector and the last may hold less.
    const int64_t last = (in.end - 1) / kLanes * kLanes;
    if (threadIdx.x < (last > 0 ? 2 : 1)) {
      const int64_t first = threadIdx.x == 0 ? 0 : last;
      if (!in.HoldsVectors(first, kLanes)) {
        accumulator.Add(LoadElements(in, first, Op::Identity()));
      }
    }
  }
  const T warp = accumulator.Combine();
  if (LaneId() == 0) warps[WarpId()] = warp;
  __syncthreads();
  if (WarpId() > 0) return;
  const T result = WarpHalve<Op, kWarps>(warps[LaneId() % kWarps]);
  if (LaneId() == 0) *out = CanonicalNan(result);
}

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_CUDA_FEW_CHUNKS_CUH_
