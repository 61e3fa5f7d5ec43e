// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on a GPU: a warp takes a segment, each thread the same
// 16 bytes of every row, and a block takes a chunk. The last block to finish
// reduces the results of the chunks, so there is one launch whatever the size.
// Where the order does not matter the same frame serves, with shorter segments
// that spread small arrays over more multiprocessors.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/accumulators.cuh"
#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::reduce {
namespace {

constexpr int kWarps = Reduce::kSegmentsPerChunk;
constexpr int kThreads = kWarps * kWarpSize;
static_assert(kWarpSize * kVectorBytes == Reduce::kRowBytes);

// Vectors that a thread loads before it uses the first: with two blocks on a
// multiprocessor 128 KiB are in flight. Four of them lose 1 to 7 %.
constexpr int kLoads = 8;
constexpr int kBlocksPerMultiprocessor = 2;

template <typename T>
constexpr int64_t kRowElements = Reduce::kRowBytes / sizeof(T);

// How the array is cut: `rows` of each segment.
template <typename T>
struct Cut {
  int rows;

  __host__ __device__ int64_t SegmentElements() const {
    return rows * kRowElements<T>;
  }
  __host__ __device__ int64_t Chunks(int64_t elements) const {
    const int64_t chunk = kWarps * SegmentElements();
    return (elements + chunk - 1) / chunk;
  }
};

// Adds a thread's vectors of `count` rows, up to kLoads, of which the first
// vector starts at element `first`.
template <typename T, typename A>
__device__ __forceinline__ void AddRows(Span<const T> in, int64_t first,
                                        int count, Vector<T> absent,
                                        A& accumulator) {
  Vector<T> vectors[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    vectors[i] =
        i < count ? LoadVector(in, first + i * kRowElements<T>) : absent;
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) accumulator.Add(vectors[i]);
}

// The result of a segment, in lane 0 of the warp that calls it.
template <typename Op, typename T = typename Op::Element>
__device__ T ReduceSegment(Span<const T> in, Cut<T> cut, int64_t segment) {
  const int64_t segment_first = segment * cut.SegmentElements();
  const int64_t first = segment_first + LaneId() * Vector<T>::kLanes;
  Accumulator<Op> accumulator;
  int row = 0;
  if (in.aligned()) {
    if (segment_first < in.begin) {
      accumulator.Add(LoadElements(in, first, Op::Identity()));
      row = 1;
    }
    const int64_t rows_left = (in.end - segment_first) / kRowElements<T>;
    const int whole = static_cast<int>(min(int64_t{cut.rows}, rows_left));
    for (; row + kLoads <= whole; row += kLoads) {
      AddRows(in, first + row * kRowElements<T>, kLoads, {}, accumulator);
    }
    if (row < whole) {
      AddRows(in, first + row * kRowElements<T>, whole - row,
              Filled(Op::Identity()), accumulator);
      row = whole;
    }
  }
  // What is left of a row, or rows at an address without vectors.
#pragma unroll 4
  for (; row < cut.rows; ++row) {
    if (segment_first + row * kRowElements<T> >= in.end) break;
    accumulator.Add(
        LoadElements(in, first + row * kRowElements<T>, Op::Identity()));
  }
  return accumulator.Combine();
}

// The result of a chunk, in thread 0 of the block that calls it.
template <typename Op, typename T = typename Op::Element>
__device__ T ReduceChunk(Span<const T> in, Cut<T> cut, int64_t chunk) {
  __shared__ T segments[kWarps];
  const T segment = ReduceSegment<Op>(in, cut, chunk * kWarps + WarpId());
  __syncthreads();  // the results of the chunk before have been read
  if (LaneId() == 0) segments[WarpId()] = segment;
  __syncthreads();
  return WarpHalve<Op, kWarps>(segments[LaneId() % kWarps]);
}

// One block for each chunk. `chunks` has room for the results of all levels,
// each level starting at a whole vector.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    ReduceArray(Span<const T> in, Cut<T> cut, T* chunks, unsigned* arrivals,
                T* out) {
  T result = ReduceChunk<Op>(in, cut, blockIdx.x);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) chunks[blockIdx.x] = result;
    if (!ArriveLast(arrivals)) return;
    int64_t count = gridDim.x;
    while (count > 1) {
      const Span<const T> level{chunks, 0, count};
      chunks += RoundUpToVector<T>(count);
      count = cut.Chunks(count);
      for (int64_t chunk = 0; chunk < count; ++chunk) {
        result = ReduceChunk<Op>(level, cut, chunk);
        if (threadIdx.x == 0) chunks[chunk] = result;
      }
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) *out = CanonicalNan(result);
}

// The counter of arrivals, alone in its cache line; results follow it.
constexpr int64_t kCounterBytes = 128;

class ReduceWarpShuffle : public ReduceOnCuda<ReduceWarpShuffle> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    const Span<const T> span = kOrderMatters<Op>
                                   ? ShiftedSpan(in.data<T>(), in.size(), 0)
                                   : AlignedSpan(in.data<T>(), in.size());
    const Cut<T> cut = CutFor<Op>(span.end);
    const int64_t chunks = cut.Chunks(span.end);
    int64_t results = 0;
    for (int64_t level = chunks; level > 1; level = cut.Chunks(level)) {
      results += RoundUpToVector<T>(level);
    }
    absl::Status status = scratch().Reserve(
        kCounterBytes + (results + 1) * static_cast<int64_t>(sizeof(T)));
    if (!status.ok()) return status;
    return Queue(ReduceArray<Op>, {chunks, kThreads}, span, cut,
                 scratch().data<T>(kCounterBytes), scratch().data<unsigned>(),
                 out.data<T>());
  }

 private:
  template <typename Op, typename T = typename Op::Element>
  Cut<T> CutFor(int64_t elements) const {
    const Cut<T> full{kRowsPerSegment};
    // From half as many chunks as multiprocessors on, long segments are faster:
    // by 7 % at 2^28 int32 elements.
    const bool few = 2 * full.Chunks(elements) < backend()->multiprocessors();
    return !kOrderMatters<Op> && few ? Cut<T>{kLoads} : full;
  }
};

const bool kRegistered = RegisterOnCuda<ReduceWarpShuffle>(
    "warp_shuffle", /*rank=*/10,
    "a warp for each segment, combined through shuffles; one launch",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        // Segments and chunks of 8, 4 and 1 byte, those of 8 rows and those
        // of 32.
        .Boundaries({512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144})
        .Notes("sums and products of floats are fastest at addresses divisible "
               "by 16"));

}  // namespace
}  // namespace concord::reduce
