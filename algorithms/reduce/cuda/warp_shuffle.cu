// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on a GPU (tree.cuh). Where the order does not matter the
// same frame serves, with shorter segments that spread small arrays over more
// multiprocessors; where it does, blocks take fewer segments.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::reduce {
namespace {

// One block for each chunk.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocksPerMultiprocessor)
    ReduceArray(Span<const T> in, TreeCut<T> cut, T* chunks, unsigned* arrivals,
                T* out) {
  T result;
  if (ReduceTree<Op>(ArraySource<T>{in}, cut, chunks, arrivals, result) &&
      threadIdx.x == 0) {
    *out = CanonicalNan(result);
  }
}

// Rows that a thread loads before it uses the first where a multiprocessor has
// few warps.
constexpr int kLoadsOfFewWarps = 16;

// A whole segment with so many loads at once; any other as ever.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T ReduceSegmentOfFew(Span<const T> in,
                                                TreeCut<T> cut,
                                                int64_t segment) {
  static_assert(Reduce::kRowsPerSegment % kLoadsOfFewWarps == 0);
  const ArraySource<T> source{in};
  const int64_t segment_first = segment * cut.SegmentElements();
  if (!in.HoldsVectors(segment_first, cut.SegmentElements())) {
    return ReduceSegment<Op>(source, cut, segment);
  }
  const int64_t first = segment_first + LaneId() * Vector<T>::kLanes;
  Accumulator<Op> accumulator;
#pragma unroll 1
  for (int row = 0; row < cut.rows; row += kLoadsOfFewWarps) {
    AddRows<kLoadsOfFewWarps>(source, first + row * kTreeRowElements<T>,
                              kLoadsOfFewWarps, Vector<T>{}, accumulator);
  }
  return accumulator.Combine();
}

// Of so many segments a block has room for all rows in shared memory.
constexpr int kSegmentsInShared = 2;

// One chunk by one block, its first segments with all rows under way at once:
// where the data is in no cache, each further wait takes half a microsecond.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, 1)
    ReduceOneChunk(Span<const T> in, TreeCut<T> cut, T* out) {
  __shared__ Vector<T> rows[kSegmentsInShared][Reduce::kRowsPerSegment]
                           [kWarpSize];
  __shared__ T segments[kTreeWarps];
  const int64_t first = WarpId() * cut.SegmentElements();
  T segment = Op::Identity();
  if (WarpId() < kSegmentsInShared && cut.rows == Reduce::kRowsPerSegment &&
      in.HoldsVectors(first, cut.SegmentElements())) {
    Accumulator<Op> accumulator;
#pragma unroll
    for (int row = 0; row < Reduce::kRowsPerSegment; ++row) {
      CopyVectorAsync(
          &rows[WarpId()][row][LaneId()], in,
          first + row * kTreeRowElements<T> + LaneId() * Vector<T>::kLanes);
    }
    WaitForCopies();  // each thread reads what it has copied
#pragma unroll
    for (int row = 0; row < Reduce::kRowsPerSegment; ++row) {
      accumulator.Add(rows[WarpId()][row][LaneId()]);
    }
    segment = accumulator.Combine();
  } else if (first < in.end) {
    segment = ReduceSegmentOfFew<Op>(in, cut, WarpId());
  }
  if (LaneId() == 0) segments[WarpId()] = segment;
  __syncthreads();
  const T result = WarpHalve<Op, kTreeWarps>(segments[LaneId() % kTreeWarps]);
  if (threadIdx.x == 0) *out = CanonicalNan(result);
}

// The same tree for far fewer chunks than multiprocessors: `warps` of each
// block take a segment, so that all multiprocessors have some. The last block
// to finish combines them.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, 1)
    ReduceSegments(Span<const T> in, TreeCut<T> cut, int warps, int64_t count,
                   T* segments, T* chunks, unsigned* arrivals, T* out) {
  if (WarpId() < warps) {
    const int64_t segment = int64_t{blockIdx.x} * warps + WarpId();
    const T result = ReduceSegmentOfFew<Op>(in, cut, segment);
    if (LaneId() == 0) segments[segment] = result;
  }
  __syncthreads();  // thread 0 arrives for all
  if (!ArriveLast(arrivals)) return;
  for (int64_t chunk = WarpId(); chunk < count; chunk += kTreeWarps) {
    const T result = WarpHalve<Op, kTreeWarps>(
        segments[chunk * kTreeWarps + LaneId() % kTreeWarps]);
    if (LaneId() == 0) chunks[chunk] = result;
  }
  __syncthreads();
  T result = chunks[0];
  FoldChunks<Op, typename ArraySource<T>::Unrolling>(cut, chunks, count,
                                                     result);
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
    const TreeCut<T> cut = CutFor<Op>(span.end);
    const int64_t chunks = cut.Chunks(span.end);
    absl::Status status =
        scratch().Reserve(kCounterBytes + cut.Results(span.end) *
                                              static_cast<int64_t>(sizeof(T)));
    if (!status.ok()) return status;
    if constexpr (kOrderMatters<Op>) {
      if (chunks == 1) {
        return Queue(ReduceOneChunk<Op>, {1, kTreeThreads}, span, cut,
                     out.data<T>());
      }
      // Up to 2^20 float32 on an H200; 2^21 took as long as whole chunks do,
      // 2^22 7.5 us instead of 7.1.
      if (8 * chunks <= backend()->multiprocessors()) {
        return LaunchSegments<Op>(span, cut, chunks, out.data<T>());
      }
    }
    return Queue(ReduceArray<Op>, {chunks, kTreeThreads}, span, cut,
                 scratch().data<T>(kCounterBytes), scratch().data<unsigned>(),
                 out.data<T>());
  }

 private:
  template <typename Op, typename T = typename Op::Element>
  absl::Status LaunchSegments(Span<const T> in, TreeCut<T> cut, int64_t chunks,
                              T* out) {
    const int64_t segments = chunks * kTreeWarps;
    int warps = 1;
    while (segments > int64_t{warps} * backend()->multiprocessors()) warps *= 2;
    const int64_t chunks_at =
        kCounterBytes + segments * static_cast<int64_t>(sizeof(T));
    absl::Status status = scratch().Reserve(
        chunks_at + cut.Results(in.end) * static_cast<int64_t>(sizeof(T)));
    if (!status.ok()) return status;
    return Queue(ReduceSegments<Op>, {segments / warps, kTreeThreads}, in, cut,
                 warps, chunks, scratch().data<T>(kCounterBytes),
                 scratch().data<T>(chunks_at), scratch().data<unsigned>(), out);
  }

  template <typename Op, typename T = typename Op::Element>
  TreeCut<T> CutFor(int64_t elements) const {
    const TreeCut<T> full{kRowsPerSegment};
    // From half as many chunks as multiprocessors on, long segments are faster:
    // by 7 % at 2^28 int32 elements.
    const bool few = 2 * full.Chunks(elements) < backend()->multiprocessors();
    return !kOrderMatters<Op> && few ? TreeCut<T>{kTreeLoads} : full;
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
        .Keeps("a counter of blocks, which each call leaves at zero")
        .Notes("sums and products of floats are fastest at addresses divisible "
               "by 16"));

}  // namespace
}  // namespace concord::reduce
