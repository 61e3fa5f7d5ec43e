// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of kernels.h, with words of type W. A block goes from tile to
// tile, because slots in global memory are for a grid of limited size.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/interpreter/machine.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

using interpreter::Arrays;
using interpreter::Code;
using interpreter::Combined;
using interpreter::kLanes;
using interpreter::Lanes;
using interpreter::Slots;
using interpreter::Step;
using spliced::kFoldRow;

inline constexpr int kMostThreads = 256;
// For 85 registers of a thread.
inline constexpr int kBlocksPerMultiprocessor = 3;

// One copy for all kernels: it is long.
template <typename W>
__device__ __noinline__ void RunSteps(const Step* steps, const Arrays& arrays,
                                      const Lanes& lanes, Slots<W> slots) {
  interpreter::Machine<W>(arrays, lanes, slots).Run(steps);
}

// Of this thread.
template <typename W>
__device__ Slots<W> SlotsOfThread(const SlotRoom& room) {
  extern __shared__ std::uint64_t shared_slots[];
  W* words = reinterpret_cast<W*>(shared_slots);
  if (room.global != nullptr) {
    words = static_cast<W*>(room.global) +
            int64_t{blockIdx.x} * room.slots * kLanes<W> * blockDim.x;
  }
  return {words + threadIdx.x, static_cast<int>(blockDim.x)};
}

template <typename W>
__device__ void InterpretMap(const Arrays& arrays, const Step* steps,
                             const SlotRoom& room, int64_t tiles) {
  constexpr int kGroupBits = 2;
  constexpr int kGroup = 1 << kGroupBits;
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t first = arrays.begin + tile * tile_elements;
    const Lanes lanes{
        first + threadIdx.x * kGroup, int64_t{blockDim.x} * kGroup, kGroupBits,
        arrays.aligned != 0 && first + tile_elements <= arrays.end, 0};
    RunSteps(steps, arrays, lanes, slots);
  }
}

// Combines the values of all lanes by halving, as of warp.cuh.
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
  return Combined(code, a, b);
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
    const T x = interpreter::FromWord<T>(a);
    const T y = interpreter::FromWord<T>(b);
    return interpreter::ToWord<W>(multiply ? x * y : x + y);
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
__device__ void CombineOrdered(const TreeCall& call, const Slots<W>& slots,
                               W* segments) {
  constexpr int kNeighbours = TreeShape<kWide>::kNeighbours;
  const CombineFloats<W, std::conditional_t<kWide, double, float>> combine{
      call.combine == Code::Multiply_kFloat32 ||
      call.combine == Code::Multiply_kFloat64};
#pragma unroll 1
  for (int s = 0; s < kLanes<W> / kNeighbours; ++s) {
    W values[kNeighbours];
#pragma unroll
    for (int k = 0; k < kNeighbours; ++k) {
      values[k] = slots.at(0, s * kNeighbours + k);
    }
    const W value = HalveLanes(values, combine);
    if (LaneId() == 0) segments[s] = value;
  }
}

// The same where order does not matter: all of them as one of `count` segments.
template <typename W>
__device__ void CombineFreely(const TreeCall& call, const Slots<W>& slots,
                              W* segments, int count) {
  const CombineBy<W> combine{call.combine};
  W value = slots.at(0, 0);
#pragma unroll 1
  for (int e = 1; e < kLanes<W>; ++e) value = combine(value, slots.at(0, e));
  value = HalveWarp<kWarpSize>(value, combine);
  if (LaneId() < count) {
    segments[LaneId()] = LaneId() == 0 ? value : static_cast<W>(call.identity);
  }
}

// A block for each chunk. The lanes of a thread are those of several segments,
// each of which it goes through row by row.
template <typename W, bool kWide>
__device__ void InterpretTree(const Arrays& arrays, const TreeCall& call,
                              const SlotRoom& room, int64_t chunks) {
  using Shape = TreeShape<kWide>;
  constexpr int kNeighbours = Shape::kNeighbours;
  constexpr int kOfWarp = kLanes<W> / kNeighbours;
  __shared__ W segments[Shape::kSegments];
  const Slots<W> slots = SlotsOfThread<W>(room);
  const CombineBy<W> combine{call.combine};
  const int64_t segment = call.rows * Shape::kRow;
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const int64_t first =
        (chunk * Shape::kSegments + WarpId() * kOfWarp) * segment +
        LaneId() * kNeighbours;
    const bool whole = arrays.aligned != 0 &&
                       (chunk + 1) * Shape::kSegments * segment <= arrays.end;
#pragma unroll
    for (int e = 0; e < kLanes<W>; ++e) {
      slots.at(0, e) = static_cast<W>(call.identity);
    }
#pragma unroll 1
    for (int row = 0; row < call.rows; ++row) {
      const Lanes lanes{first + row * Shape::kRow, segment,
                        Shape::kNeighbourBits, whole, 0};
      if (lanes.first >= arrays.end) break;
      RunSteps(call.steps, arrays, lanes, slots);
    }
    __syncthreads();  // the segments of the chunk before have been read
    if (call.ordered) {
      CombineOrdered<W, kWide>(call, slots, &segments[WarpId() * kOfWarp]);
    } else {
      CombineFreely(call, slots, &segments[WarpId() * kOfWarp], kOfWarp);
    }
    __syncthreads();
    const W value = CombineSegments(segments, combine);
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

// A row for each lane of a thread.
template <typename W>
__device__ void InterpretFoldRows(const Arrays& arrays, const FoldCall& call,
                                  const SlotRoom& room, int64_t tiles) {
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_rows = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t row = tile * tile_rows + threadIdx.x;
    Lanes lanes{row * kFoldRow, int64_t{blockDim.x} * kFoldRow, 0, false, 0};
    RunSteps(call.begin, arrays, lanes, slots);
#pragma unroll 1
    for (int k = 1; k < kFoldRow && lanes.first + 1 < arrays.end; ++k) {
      ++lanes.first;
      RunSteps(call.step, arrays, lanes, slots);
    }
    RunSteps(call.store, call.rows, {row, blockDim.x, 0, false, 0}, slots);
  }
}

// The elements of a thread in a tile: neighbouring threads have neighbours.
__device__ __forceinline__ Lanes FilterLanes(int64_t first) {
  return {first + threadIdx.x, blockDim.x, 0, false, 0};
}

// Calls f(lane, whether its element is kept), in all threads at once.
template <typename W, typename F>
__device__ __forceinline__ void ForEachLane(const Arrays& arrays,
                                            const Lanes& lanes,
                                            const Slots<W>& slots, F f) {
#pragma unroll 1
  for (int e = 0; e < kLanes<W>; ++e) {
    f(e, slots.at(0, e) != 0 && lanes.element(e) < arrays.end);
  }
}

template <typename W>
__device__ void InterpretFilterCount(const Arrays& arrays,
                                     const FilterCall& call,
                                     const SlotRoom& room, int64_t tiles) {
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Lanes lanes = FilterLanes(tile * tile_elements);
    RunSteps(call.keep, arrays, lanes, slots);
    int64_t count = 0;
    ForEachLane(arrays, lanes, slots,
                [&](int, bool kept) { count += __syncthreads_count(kept); });
    if (threadIdx.x == 0) call.counts[tile] = count;
  }
}

// Puts into slot 1 how many elements of the tile are kept before each that is,
// and a place past all for the others.
template <typename W>
__device__ void PlaceKept(const Arrays& arrays, const Lanes& lanes,
                          const Slots<W>& slots) {
  constexpr int kMostWarps = kMostThreads / kWarpSize;
  __shared__ int kept_by_warp[kLanes<W>][kMostWarps];
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  ForEachLane(arrays, lanes, slots, [&](int e, bool kept) {
    const unsigned ballot = __ballot_sync(kWholeWarp, kept);
    if (LaneId() == 0) kept_by_warp[e][WarpId()] = __popc(ballot);
  });
  __syncthreads();
  int before = 0;
  ForEachLane(arrays, lanes, slots, [&](int e, bool kept) {
    const unsigned ballot = __ballot_sync(kWholeWarp, kept);
    int place = before + __popc(ballot & ((1u << LaneId()) - 1));
    for (int w = 0; w < warps; ++w) {
      if (w < WarpId()) place += kept_by_warp[e][w];
      before += kept_by_warp[e][w];
    }
    slots.at(1, e) = kept ? static_cast<W>(place) : static_cast<W>(-1);
  });
  __syncthreads();  // the counts have been read
}

template <typename W>
__device__ void InterpretFilterPut(const Arrays& arrays, const FilterCall& call,
                                   const SlotRoom& room, int64_t tiles) {
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    Lanes lanes = FilterLanes(tile * tile_elements);
    RunSteps(call.keep, arrays, lanes, slots);
    PlaceKept(arrays, lanes, slots);
    lanes.base = call.starts[tile];
    RunSteps(call.values, arrays, lanes, slots);
  }
}

enum class Frame { kMap, kTree, kFoldRows, kFilterCount, kFilterPut };

// One kernel of all frames: the machine is by far the longest part of each, and
// would be compiled for every one.
struct FrameCall {
  Frame frame;
  const Step* map;
  TreeCall tree;
  FoldCall fold;
  FilterCall filter;
};

template <typename W>
__global__ void __launch_bounds__(kMostThreads, kBlocksPerMultiprocessor)
    InterpretedFrame(const __grid_constant__ Arrays arrays,
                     const __grid_constant__ FrameCall call, SlotRoom room,
                     int64_t tiles) {
  switch (call.frame) {
    case Frame::kMap:
      return InterpretMap<W>(arrays, call.map, room, tiles);
    case Frame::kTree:
      if constexpr (sizeof(W) == 8) {
        if (call.tree.wide_elements) {
          return InterpretTree<W, true>(arrays, call.tree, room, tiles);
        }
      }
      return InterpretTree<W, false>(arrays, call.tree, room, tiles);
    case Frame::kFoldRows:
      return InterpretFoldRows<W>(arrays, call.fold, room, tiles);
    case Frame::kFilterCount:
      return InterpretFilterCount<W>(arrays, call.filter, room, tiles);
    case Frame::kFilterPut:
      return InterpretFilterPut<W>(arrays, call.filter, room, tiles);
  }
}

// Explicitly instantiated in files of their own.
template <typename W>
absl::Status LaunchFrame(const CudaBackend& backend, const Arrays& arrays,
                         const FrameCall& call, const SlotRoom& room,
                         std::int64_t tiles) {
  LaunchShape shape{tiles, dim3(room.threads),
                    std::int64_t{room.slots} * kSlotBytes * room.threads};
  if (room.global != nullptr) {
    shape = {std::min(tiles, room.blocks), dim3(room.threads)};
  }
  return QueueKernel(backend, "an interpreted pass", InterpretedFrame<W>, shape,
                     arrays, call, room, tiles);
}
template <typename W>
absl::Status LaunchTreeTop(const CudaBackend& backend, const TreeCall& call,
                           std::int64_t chunks) {
  const auto launch = [&](auto kernel) {
    return QueueKernel(backend, "the levels of an interpreted reduction",
                       kernel, {1, dim3(kTopThreads)}, call, chunks);
  };
  if constexpr (sizeof(W) == 8) {
    if (call.wide_elements) return launch(InterpretedTreeTop<W, true>);
  }
  return launch(InterpretedTreeTop<W, false>);
}

extern template absl::Status LaunchFrame<std::uint32_t>(const CudaBackend&,
                                                        const Arrays&,
                                                        const FrameCall&,
                                                        const SlotRoom&,
                                                        std::int64_t);
extern template absl::Status LaunchFrame<std::uint64_t>(const CudaBackend&,
                                                        const Arrays&,
                                                        const FrameCall&,
                                                        const SlotRoom&,
                                                        std::int64_t);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_CUH_
