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

// The segments of a warp, from the lanes of its threads.
template <typename W, bool kWide>
__device__ __forceinline__ void CombineOrdered(const TreeCall& call,
                                               const Register<W>& totals,
                                               W* segments) {
  constexpr int kNeighbours = TreeShape<kWide>::kNeighbours;
  const CombineFloats<W, std::conditional_t<kWide, double, float>> combine{
      call.combine == Code::Multiply_Float32 ||
      call.combine == Code::Multiply_Float64};
  Unrolled<kLanes<W> / kNeighbours>([&](int s) {
    W values[kNeighbours];
    Unrolled<kNeighbours>(
        [&](int k) { values[k] = totals[s * kNeighbours + k]; });
    const W value = HalveLanes(values, combine);
    if (LaneId() == 0) segments[s] = value;
  });
}

// The same where order does not matter: all of them as one of `count` segments.
template <typename W>
__device__ __forceinline__ void CombineFreely(const TreeCall& call,
                                              const Register<W>& totals,
                                              W* segments, int count) {
  W value = totals[0];
  machine::WithOperator<W>(call.combine, [&](auto combine) {
    Unrolled<kLanes<W> - 1>(
        [&](int e) { value = combine(value, totals[e + 1]); });
  });
  value = HalveWarp<kWarpSize>(value, CombineBy<W>{call.combine});
  if (LaneId() < count) {
    segments[LaneId()] = LaneId() == 0 ? value : static_cast<W>(call.identity);
  }
}

// Threads of a block: those of one chunk of segments.
template <typename W, bool kWide>
inline constexpr int kTreeThreads =
    TreeShape<kWide>::kSegments* TreeShape<kWide>::kNeighbours /
    kLanes<W>* kWarpSize;

// The totals take registers, too: 102 of a thread, or 128 with words of 64
// bits.
template <typename W, bool kWide>
inline constexpr int kTreeBlocks =
    (sizeof(W) == 4 ? 640 : 512) / kTreeThreads<W, kWide>;

// A block for each chunk. The lanes of a thread are those of several segments,
// each of which it goes through row by row.
template <typename W, bool kWide>
__global__ void __launch_bounds__(kTreeThreads<W, kWide>, kTreeBlocks<W, kWide>)
    InterpretedTree(const __grid_constant__ Arrays arrays, SlotRoom room,
                    int64_t chunks, const __grid_constant__ TreeCall call) {
  using Shape = TreeShape<kWide>;
  constexpr int kNeighbours = Shape::kNeighbours;
  constexpr int kOfWarp = kLanes<W> / kNeighbours;
  __shared__ W segments[Shape::kSegments];
  const Slots<W> slots = SlotsOfThread<W>(room);
  const W identity = static_cast<W>(call.identity);
  const int64_t segment = call.rows * Shape::kRow;
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const int64_t first =
        (chunk * Shape::kSegments + WarpId() * kOfWarp) * segment +
        LaneId() * kNeighbours;
    const bool whole = arrays.aligned != 0 &&
                       (chunk + 1) * Shape::kSegments * segment <= arrays.end;
    Register<W> totals;
    Unrolled<kLanes<W>>([&](int e) { totals[e] = identity; });
#pragma unroll 1
    for (int row = 0; row < call.rows; ++row) {
      const Lanes<Shape::kNeighbourBits> lanes{first + row * Shape::kRow,
                                               segment, whole};
      if (lanes.first >= arrays.end) break;
      Register<W> a = {};
      Machine<W, Shape::kNeighbourBits>(arrays, lanes, slots)
          .Run(call.steps, a);
      if (!whole) {
        Unrolled<kLanes<W>>([&](int e) {
          if (!arrays.Have(lanes.element(e))) a[e] = identity;
        });
      }
      machine::WithOperator<W>(call.combine, [&](auto combine) {
        Unrolled<kLanes<W>>(
            [&](int e) { totals[e] = combine(totals[e], a[e]); });
      });
    }
    __syncthreads();  // the segments of the chunk before have been read
    if (call.ordered) {
      CombineOrdered<W, kWide>(call, totals, &segments[WarpId() * kOfWarp]);
    } else {
      CombineFreely<W>(call, totals, &segments[WarpId() * kOfWarp], kOfWarp);
    }
    __syncthreads();
    const W value = CombineSegments(segments, CombineBy<W>{call.combine});
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
