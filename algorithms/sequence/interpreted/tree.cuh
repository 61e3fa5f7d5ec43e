// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions by built-in operators, in the tree of reduce.h.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_TREE_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_TREE_CUH_

#include <type_traits>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/interpreted/frame.cuh"

namespace concord::sequence {

// Combines the values of the first lanes by halving, as of warp.cuh.
template <int kWidth, typename W, typename F>
__device__ __forceinline__ W HalveWarp(W value, const F& combine) {
#pragma unroll 1
  for (int distance = kWidth / 2; distance > 0; distance /= 2) {
    value = combine(value, ShuffleDown(value, distance));
  }
  return value;
}

// What the tree makes of a warp's lanes of one segment.
template <int kCount, typename W, typename F>
__device__ __forceinline__ W HalveLanes(W (&lanes)[kCount], const F& combine) {
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    lanes[k] = HalveWarp<kWarpSize>(lanes[k], combine);
  }
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2) {
#pragma unroll
    for (int k = 0; k < half; ++k)
      lanes[k] = combine(lanes[k], lanes[k + half]);
  }
  return lanes[0];
}

template <typename W>
__device__ __noinline__ W CombinedBy(Code code, W a, W b) {
  machine::WithOperator<W>(code, [&](auto combine) { a = combine(a, b); });
  return a;
}
template <typename W>
struct CombineBy {
  Code code;
  __device__ __forceinline__ W operator()(W a, W b) const {
    return CombinedBy(code, a, b);
  }
};

// Sums and products of floats, whose lanes cannot be combined in any order.
template <typename W, typename T>
struct CombineFloats {
  bool multiply;
  __device__ __forceinline__ W operator()(W a, W b) const {
    const T x = machine::FromWord<T>(a);
    const T y = machine::FromWord<T>(b);
    return machine::ToWord<W>(multiply ? x * y : x + y);
  }
};

// How elements of 4 or of 8 bytes make the tree of reduce.h.
template <bool kWide>
struct TreeShape {
  static constexpr int kBytes = kWide ? 8 : 4;
  static constexpr int kSegments = Reduce::kSegmentsPerChunk;
  // Neighbours that a thread has of a row.
  static constexpr int kNeighbourBits = kWide ? 1 : 2;
  static constexpr int kNeighbours = 1 << kNeighbourBits;
  static_assert(kNeighbours * kBytes * kWarpSize == Reduce::kRowBytes);
  static constexpr int64_t kRow = Reduce::kRowBytes / kBytes;
};

// The value of a chunk from those of its segments, in thread 0.
template <typename W, typename F>
__device__ __forceinline__ W CombineSegments(const W* segments,
                                             const F& combine) {
  constexpr int kSegments = Reduce::kSegmentsPerChunk;
  return HalveWarp<kSegments>(segments[LaneId() % kSegments], combine);
}

// Lanes of a thread that are of one element of a row, in rows one after the
// other: what they come to is combined in the order of rows.
template <typename W, bool kWide>
inline constexpr int kRowsAtOnce = kLanes<W> / TreeShape<kWide>::kNeighbours;

// totals = totals combined with the lanes, row by row.
template <typename W, bool kWide>
__device__ __forceinline__ void CombineRows(
    Code code, const Register<W>& a,
    W (&totals)[TreeShape<kWide>::kNeighbours]) {
  constexpr int kNeighbours = TreeShape<kWide>::kNeighbours;
  machine::WithOperator<W>(code, [&](auto combine) {
    Unrolled<kLanes<W>>([&](int e) {
      totals[e % kNeighbours] = combine(totals[e % kNeighbours], a[e]);
    });
  });
}

// The value of a segment whose order matters, in lane 0, from what a warp's
// threads have of it.
template <typename W, bool kWide>
__device__ __forceinline__ W
CombineOrdered(Code code, W (&totals)[TreeShape<kWide>::kNeighbours]) {
  const CombineFloats<W, std::conditional_t<kWide, double, float>> combine{
      code == Code::Multiply_Float32 || code == Code::Multiply_Float64};
  return HalveLanes(totals, combine);
}

// The same where it does not, of all segments of a warp.
template <typename W, bool kWide>
__device__ __forceinline__ W
CombineFreely(Code code, const W (&totals)[TreeShape<kWide>::kNeighbours]) {
  W value = totals[0];
  machine::WithOperator<W>(code, [&](auto combine) {
    Unrolled<TreeShape<kWide>::kNeighbours - 1>(
        [&](int k) { value = combine(value, totals[k + 1]); });
  });
  return HalveWarp<kWarpSize>(value, CombineBy<W>{code});
}

inline constexpr int kTreeWarps = 4;
inline constexpr int kTreeThreads = kTreeWarps * kWarpSize;

// Elements of 64 bits would spill with more.
template <typename W, bool kWide>
inline constexpr int kTreeBlocks = kWide ? 4 : kBlocksPerMultiprocessor<W>;

// A block for each chunk; its warps have some of the segments each, and go
// through them one after the other.
template <typename W, bool kWide>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocks<W, kWide>)
    InterpretedTree(const __grid_constant__ Arrays arrays, SlotRoom room,
                    int64_t chunks, const __grid_constant__ TreeCall call) {
  using Shape = TreeShape<kWide>;
  constexpr int kNeighbours = Shape::kNeighbours;
  constexpr int kOfWarp = Shape::kSegments / kTreeWarps;
  constexpr int kRows = kRowsAtOnce<W, kWide>;
  __shared__ W segments[Shape::kSegments];
  const Slots<W> slots = SlotsOfThread<W>(room);
  const W identity = static_cast<W>(call.identity);
  const int64_t chunk_elements =
      int64_t{Shape::kSegments} * call.rows * Shape::kRow;
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const bool whole = machine::Anew(std::uint32_t{
                           arrays.aligned != 0 &&
                           (chunk + 1) * chunk_elements <= arrays.end}) != 0;
    Lanes<Shape::kNeighbourBits> lanes{
        chunk * chunk_elements + WarpId() * (chunk_elements / kTreeWarps) +
            LaneId() * kNeighbours,
        Shape::kRow, whole};
    __syncthreads();  // the segments of the chunk before have been read
    W totals[kNeighbours];
    Unrolled<kNeighbours>([&](int k) { totals[k] = identity; });
    W value = identity;
#pragma unroll 1
    for (int s = 0, row = 0; s < kOfWarp; lanes.first += kRows * Shape::kRow) {
      if (lanes.first < arrays.end) {
        Register<W> a = {};
        Machine<W, Shape::kNeighbourBits>(arrays, lanes, slots)
            .Run(call.steps, a);
        if (!whole) {
          Unrolled<kLanes<W>>([&](int e) {
            if (!arrays.Have(lanes.Anew().element(e))) a[e] = identity;
          });
        }
        CombineRows<W, kWide>(call.combine, a, totals);
      }
      row += kRows;
      if (row < call.rows) continue;
      row = 0;
      if (call.ordered) {
        value = CombineOrdered<W, kWide>(call.combine, totals);
        Unrolled<kNeighbours>([&](int k) { totals[k] = identity; });
      } else if (s == kOfWarp - 1) {
        value = CombineFreely<W, kWide>(call.combine, totals);
      }
      if (LaneId() == 0) segments[WarpId() * kOfWarp + s] = value;
      ++s;
    }
    __syncthreads();
    value = CombineSegments(segments, CombineBy<W>{call.combine});
    if (threadIdx.x == 0) static_cast<W*>(call.chunks)[chunk] = value;
  }
}

inline constexpr int kTopThreads = Reduce::kSegmentsPerChunk * kWarpSize;

// The levels above, in one block: a warp for each segment.
template <typename W, bool kWide>
__global__ void __launch_bounds__(kTopThreads)
    InterpretedTreeTop(TreeCall call, int64_t count) {
  using Shape = TreeShape<kWide>;
  __shared__ W segments[Shape::kSegments];
  const CombineBy<W> combine{call.combine};
  const int64_t segment = call.rows * Shape::kRow;
  W* level = static_cast<W*>(call.chunks);
  while (count > 1) {
    W* const above = level + count;
    const int64_t chunks = DivideUp(count, Shape::kSegments * segment);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const int64_t begin = (chunk * Shape::kSegments + WarpId()) * segment +
                            LaneId() * Shape::kNeighbours;
      W values[Shape::kNeighbours];
      for (int k = 0; k < Shape::kNeighbours; ++k) {
        values[k] = static_cast<W>(call.identity);
        const int64_t end = min(begin + segment, count);
        for (int64_t i = begin; i + k < end; i += Shape::kRow) {
          values[k] = combine(values[k], level[i + k]);
        }
      }
      const W value = HalveLanes(values, combine);
      if (LaneId() == 0) segments[WarpId()] = value;
      __syncthreads();
      const W all = CombineSegments(segments, combine);
      if (threadIdx.x == 0) above[chunk] = all;
      __syncthreads();
    }
    level = above;
    count = chunks;
  }
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_TREE_CUH_
