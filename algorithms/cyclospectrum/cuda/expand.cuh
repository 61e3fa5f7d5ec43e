// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a spectrum out of the places where its values start. Warps share the
// output, so that values of any counts keep all of them equally busy. A warp
// marks in shared memory where values start in a step of its stretch; a running
// maximum over the marks gives every element its value.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_CUH_

#include <cstdint>

#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::cyclospectrum {

// The elements of each value 0, ..., total stand together; a value may have
// none. `offsets` are those of CountTiles.
struct ValueRuns {
  const int64_t* offsets;
  int64_t total;
  int64_t half;  // total / 2
  int64_t size;  // of the spectrum

  // Where `value` starts, up to total + 1. The upper half mirrors the lower.
  __device__ __forceinline__ int64_t Start(int64_t value) const {
    return value <= half ? offsets[value] : size - offsets[total + 1 - value];
  }

  // The value of the element at `place`. A whole warp calls it.
  __device__ int64_t ValueAt(int64_t place) const {
    int64_t low = 0;  // Start(low) <= place
    int64_t high = total + 1;
    while (high - low > 1) {
      // Each lane looks at the end of one of 32 equal parts.
      const int64_t step = (high - low + kWarpSize - 1) / kWarpSize;
      const int64_t mine = low + step * (LaneId() + 1);
      const bool before = mine < high && Start(mine) <= place;
      const int parts = __popc(__ballot_sync(kWholeWarp, before));
      high = min(high, low + step * (parts + 1));
      low += step * parts;
    }
    return low;
  }
};

inline constexpr int kExpandThreads = 256;
inline constexpr int kExpandWarps = kExpandThreads / kWarpSize;

// Elements for which a warp marks starts at a time.
inline constexpr int kStepElements = 1024;

// Marks the starts of the runs after `next` - 1 that lie in [begin, end), at
// most kStepElements: marks[start - begin] = value - first. Returns the first
// value that starts at `end` or later. A whole warp calls it.
__device__ inline int64_t MarkStarts(const ValueRuns& runs, int64_t begin,
                                     int64_t end, int64_t first, int64_t next,
                                     uint32_t* marks) {
  for (;;) {
    const int64_t value = min(next + LaneId(), runs.total + 1);
    const int64_t start = runs.Start(value);
    int64_t behind = ShuffleDown(start, 1);
    if (LaneId() == kWarpSize - 1 && value <= runs.total) {
      behind = runs.Start(value + 1);
    }
    const bool inside = value <= runs.total && start < end;
    const bool occurs = inside && behind > start;
    if (occurs) {
      marks[start - begin] = static_cast<uint32_t>(value - first);
    }
    const int count = __popc(__ballot_sync(kWholeWarp, inside));
    next += count;
    if (count < kWarpSize) return next;
    // A gap may be much longer than the warp should walk.
    if (!__any_sync(kWholeWarp, occurs)) {
      next = runs.ValueAt(ShuffleFrom(start, kWarpSize - 1));
    }
  }
}

// The marks of as many elements as a vector has.
template <int kLanes>
struct alignas(kLanes * sizeof(uint32_t)) MarksOfVector {
  uint32_t lane[kLanes];
};

// A block writes so many elements from that many times its number on, and each
// of its warps a stretch of kSteps steps of them; `out` starts where it is
// right for whole lines of 128 bytes.
template <int kSteps, typename T>
__device__ __forceinline__ void ExpandByBlock(const ValueRuns& runs,
                                              Span<T> out, int64_t number) {
  constexpr int kLanes = Vector<T>::kLanes;
  constexpr int kRow = kWarpSize * kLanes;
  __shared__ alignas(kVectorBytes)
      uint32_t all_marks[kExpandWarps][kStepElements];
  uint32_t* const marks = all_marks[WarpId()];
  for (int i = LaneId(); i < kStepElements; i += kWarpSize) marks[i] = 0;
  __syncwarp();

  const int64_t warp = number * kExpandWarps + WarpId();
  int64_t begin = warp * (kSteps * kStepElements);
  const int64_t end = min(begin + kSteps * kStepElements, out.end);
  if (begin >= end) return;
  int64_t value = runs.ValueAt(max(begin, out.begin) - out.begin);
  for (; begin < end; begin += kStepElements) {
    const int64_t next = MarkStarts(runs, begin - out.begin,
                                    min(begin + kStepElements, end) - out.begin,
                                    value, value + 1, marks);
    __syncwarp();
    uint32_t running = 0;
#pragma unroll 2
    for (int row = 0; row < kStepElements; row += kRow) {
      auto* const mine = reinterpret_cast<MarksOfVector<kLanes>*>(
          marks + row + LaneId() * kLanes);
      MarksOfVector<kLanes> found = *mine;
#pragma unroll
      for (int k = 1; k < kLanes; ++k) {
        found.lane[k] = max(found.lane[k], found.lane[k - 1]);
      }
      const uint32_t last = found.lane[kLanes - 1];
      if (__any_sync(kWholeWarp, last != 0)) {
        if (last != 0) *mine = {};
        uint32_t scanned[1] = {last};
        WarpInclusiveScan<Maximum<uint32_t>>(scanned);
        const uint32_t before =
            max(running, ShiftIn<Maximum<uint32_t>>(scanned[0]));
#pragma unroll
        for (int k = 0; k < kLanes; ++k) {
          found.lane[k] = max(found.lane[k], before);
        }
        running = max(running, ShuffleFrom(scanned[0], kWarpSize - 1));
      } else {
#pragma unroll
        for (int k = 0; k < kLanes; ++k) found.lane[k] = running;
      }
      Vector<T> vector{};
#pragma unroll
      for (int k = 0; k < kLanes; ++k) {
        vector.set_lane(k, static_cast<T>(value + found.lane[k]));
      }
      const int64_t place = begin + row + LaneId() * kLanes;
      if (out.HoldsVectors(place, kLanes)) {
        StoreVector(out, place, vector);
      } else {
        StoreElements(out, place, vector);
      }
    }
    __syncwarp();
    value = next - 1;
  }
}

template <int kSteps, typename T>
__global__ void __launch_bounds__(kExpandThreads)
    ExpandValueRuns(ValueRuns runs, Span<T> out) {
  ExpandByBlock<kSteps>(runs, out, blockIdx.x);
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_CUH_
