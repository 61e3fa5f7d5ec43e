// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on a GPU, of an array or of what else has elements: a
// warp takes a segment, each thread the same 16 bytes of every row, and a block
// takes a chunk. One block reduces the results of the chunks, so there is one
// launch whatever the size: the last one waits for what few others tell; of
// many, the last to finish.
//
// A source of elements T has
//
//   int64_t begin(), end()   the elements that there are
//   bool aligned()           whether Load may be called
//   Vector<T> Load(first)    elements that are all there, from a multiple of
//                            their number on
//   Vector<T> LoadElements(first, absent)   any, as of vector.cuh
//   Unrolling                how many copies there are of code that loads

#ifndef CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_CUH_
#define CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_CUH_

#include <cstdint>

#include "concord/algorithms/reduce/cuda/accumulators.cuh"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/reduce/cuda/tree_memory.h"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::reduce {

// Copies of the loops over rows: over kTreeLoads of them, over those of the
// vectors that are left, and over those of elements.
template <typename T>
struct UsualUnrolling {
  // Four of them spill registers in sums of int64, which costs 8 %.
  static constexpr int kBatches = sizeof(T) == 8 ? 2 : 4;
  static constexpr int kLoadsAtEnd = 8;
  static constexpr int kRowsOfElements = 4;
};

// An array as a source.
template <typename T, typename Code = UsualUnrolling<T>>
struct ArraySource {
  using Unrolling = Code;

  Span<const T> in;

  __device__ int64_t begin() const { return in.begin; }
  __device__ int64_t end() const { return in.end; }
  __device__ bool aligned() const { return in.aligned(); }
  __device__ __forceinline__ Vector<T> Load(int64_t first) const {
    return LoadVector(in, first);
  }
  __device__ __forceinline__ Vector<T> LoadElements(int64_t first,
                                                    T absent) const {
    return concord::LoadElements(in, first, absent);
  }
};

inline constexpr int kTreeWarps = Reduce::kSegmentsPerChunk;
inline constexpr int kTreeThreads = kTreeWarps * kWarpSize;
static_assert(kWarpSize * kVectorBytes == Reduce::kRowBytes);

// Vectors that a thread loads before it uses the first: with two blocks on a
// multiprocessor 128 KiB are in flight. Four of them lose 1 to 7 %.
inline constexpr int kTreeLoads = 8;
inline constexpr int kTreeBlocksPerMultiprocessor = 2;

template <typename T>
inline constexpr int64_t kTreeRowElements = Reduce::kRowBytes / sizeof(T);

// How the array is cut: `rows` of each segment.
template <typename T>
struct TreeCut {
  int rows;

  __host__ __device__ int64_t SegmentElements() const {
    return rows * kTreeRowElements<T>;
  }
  __host__ __device__ int64_t Chunks(int64_t elements) const {
    const int64_t chunk = kTreeWarps * SegmentElements();
    return (elements + chunk - 1) / chunk;
  }
  // Room for the results of all levels but the last, and for that.
  __host__ __device__ int64_t Results(int64_t elements) const {
    int64_t results = 1;
    for (int64_t level = Chunks(elements); level > 1; level = Chunks(level)) {
      results += RoundUpToVector<T>(level);
    }
    return results;
  }
  // Of a launch for so many elements.
  __host__ int64_t MemoryBytes(int64_t elements) const {
    return TreeMemory::Bytes(Results(elements), sizeof(T));
  }
};

// Adds a thread's vectors of `count` rows, up to kLoads, of which the first
// vector starts at element `first`.
template <int kLoads, typename Source, typename T, typename A>
__device__ __forceinline__ void AddRows(const Source& in, int64_t first,
                                        int count, Vector<T> absent,
                                        A& accumulator) {
  Vector<T> vectors[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    vectors[i] = i < count ? in.Load(first + i * kTreeRowElements<T>) : absent;
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) accumulator.Add(vectors[i]);
}

// The result of a segment, in lane 0 of the warp that calls it.
template <typename Op, typename Source, typename T = typename Op::Element>
__device__ T ReduceSegment(const Source& in, TreeCut<T> cut, int64_t segment) {
  using Code = typename Source::Unrolling;
  const int64_t segment_first = segment * cut.SegmentElements();
  const int64_t first = segment_first + LaneId() * Vector<T>::kLanes;
  Accumulator<Op> accumulator;
  int row = 0;
  if (in.aligned()) {
    if (segment_first < in.begin()) {
      accumulator.Add(in.LoadElements(first, Op::Identity()));
      row = 1;
    }
    const int64_t rows_left = (in.end() - segment_first) / kTreeRowElements<T>;
    const int whole = static_cast<int>(min(int64_t{cut.rows}, rows_left));
#pragma unroll Code::kBatches
    for (; row + kTreeLoads <= whole; row += kTreeLoads) {
      AddRows<kTreeLoads>(in, first + row * kTreeRowElements<T>, kTreeLoads,
                          Vector<T>{}, accumulator);
    }
#pragma unroll 1
    while (row < whole) {
      AddRows<Code::kLoadsAtEnd>(in, first + row * kTreeRowElements<T>,
                                 whole - row, Filled(Op::Identity()),
                                 accumulator);
      row = min(row + Code::kLoadsAtEnd, whole);
    }
  }
  // What is left of a row, or rows at an address without vectors.
#pragma unroll Code::kRowsOfElements
  for (; row < cut.rows; ++row) {
    if (segment_first + row * kTreeRowElements<T> >= in.end()) break;
    accumulator.Add(
        in.LoadElements(first + row * kTreeRowElements<T>, Op::Identity()));
  }
  return accumulator.Combine();
}

// The result of a chunk, in thread 0 of the block that calls it.
template <typename Op, typename Source, typename T = typename Op::Element>
__device__ T ReduceChunk(const Source& in, TreeCut<T> cut, int64_t chunk) {
  __shared__ T segments[kTreeWarps];
  const T segment = ReduceSegment<Op>(in, cut, chunk * kTreeWarps + WarpId());
  __syncthreads();  // the results of the chunk before have been read
  if (LaneId() == 0) segments[WarpId()] = segment;
  __syncthreads();
  return WarpHalve<Op, kTreeWarps>(segments[LaneId() % kTreeWarps]);
}

// What so many results of chunks amount to, in thread 0 of the one block that
// calls it; `result` is that already when there is one. `chunks` has room for
// the results of all levels, each level starting at a whole vector.
template <typename Op, typename Unrolling, typename T = typename Op::Element>
__device__ __forceinline__ void FoldChunks(TreeCut<T> cut, T* chunks,
                                           int64_t count, T& result) {
  while (count > 1) {
    const ArraySource<T, Unrolling> level{{chunks, 0, count}};
    chunks += RoundUpToVector<T>(count);
    count = cut.Chunks(count);
    for (int64_t chunk = 0; chunk < count; ++chunk) {
      result = ReduceChunk<Op>(level, cut, chunk);
      if (threadIdx.x == 0) chunks[chunk] = result;
    }
    __syncthreads();
  }
}

// Where block or segment `i` tells its result.
__device__ __forceinline__ char* ToldAt(char* memory, int i) {
  return memory + TreeMemory::kToldAt + i * TreeMemory::kToldBytes;
}

// Makes what TakeTold waits for. One memory access, without a fence.
template <typename T>
__device__ __forceinline__ void Tell(char* at, T result) {
  StoreStatus(at, TileStatus<T>{1, result});
}

// Waits for what is told there, and leaves it untold for the next launch.
template <typename T>
__device__ __forceinline__ T TakeTold(char* at) {
  TileStatus<T> told = LoadStatus<T>(at);
  while (told.flag == 0) told = LoadStatus<T>(at);
  StoreStatus(at, TileStatus<T>{0, T{}});
  return told.value;
}

// The results of up to kMostTold chunks, in shared memory.
template <typename T>
struct alignas(kVectorBytes) ToldResults {
  T chunk[TreeMemory::kMostTold];
};
static_assert(TreeMemory::kMostTold == kTreeThreads);

// What `count` of them amount to, in thread 0 of the block that calls it.
template <typename Op, typename Unrolling, typename T = typename Op::Element>
__device__ __forceinline__ T CombineTold(TreeCut<T> cut, int count,
                                         const ToldResults<T>& results) {
  // They are one segment, whose lanes after the first 32 have nothing where
  // there are no more.
  static_assert(kTreeLoads * kTreeRowElements<T> >= TreeMemory::kMostTold);
  __syncthreads();
  if (WarpId() > 0) return Op::Identity();
  if (count <= kWarpSize) {
    return WarpHalve<Op>(LaneId() < count ? results.chunk[LaneId()]
                                          : Op::Identity());
  }
  return ReduceSegment<Op>(ArraySource<T, Unrolling>{{results.chunk, 0, count}},
                           cut, 0);
}

// The result of everything, in thread 0 of one block: true in that block alone.
// There is a block for each chunk, and `memory` is laid out as TreeMemory.
//
// To find out which block is the last to finish takes each of them a fence and
// an atomic operation, after which that one reads the results: two microseconds
// in all. The last block of a grid that waits for words takes half of one. Only
// that block waits, so that all others come to their turn.
template <typename Op, typename Source, typename T = typename Op::Element>
__device__ __forceinline__ bool ReduceTree(const Source& in, TreeCut<T> cut,
                                           char* memory, T& result) {
  using Unrolling = typename Source::Unrolling;
  __shared__ ToldResults<T> told;
  result = ReduceChunk<Op>(in, cut, blockIdx.x);
  if (gridDim.x == 1) return true;
  if (gridDim.x <= TreeMemory::kMostTold) {
    if (threadIdx.x == 0) Tell(ToldAt(memory, blockIdx.x), result);
    if (blockIdx.x + 1 < gridDim.x) return false;
    if (threadIdx.x < gridDim.x) {
      told.chunk[threadIdx.x] = TakeTold<T>(ToldAt(memory, threadIdx.x));
    }
    result = CombineTold<Op, Unrolling>(cut, static_cast<int>(gridDim.x), told);
    return true;
  }
  T* const chunks = reinterpret_cast<T*>(memory + TreeMemory::kResultsAt);
  if (threadIdx.x == 0) chunks[blockIdx.x] = result;
  if (!ArriveLast(reinterpret_cast<unsigned*>(memory))) return false;
  FoldChunks<Op, Unrolling>(cut, chunks, gridDim.x, result);
  return true;
}

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_CUH_
