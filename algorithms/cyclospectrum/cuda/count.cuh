// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Counts how often each value of the lower half of a spectrum occurs, and sums
// the counts up to where each value starts. A block has a tile of values and a
// counter for each of them in shared memory.
//
// The pieces that start with one mass have rising masses as they grow. So those
// in a tile have neighbouring ends, and the first of these, by binary search,
// says how many are below the tile: summed up over all starts, that is where
// the tile belongs in the spectrum. Blocks need nothing from each other.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_CUH_

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/block_scan.cuh"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::cyclospectrum {

// The first of the rising sums [first, last] that is `value` or more; the last
// one is. A whole warp calls it, with equal arguments.
template <typename Mass>
__device__ int FindByWarp(const Mass* sums, int first, int last, Mass value) {
  while (first < last) {
    // Each lane looks at the end of one of 32 equal parts.
    const int step = (last - first + kWarpSize - 1) / kWarpSize;
    const int mine = first + step * (LaneId() + 1) - 1;
    const bool less = mine < last && __ldg(sums + mine) < value;
    const int parts = __popc(__ballot_sync(kWholeWarp, less));
    last = min(last, first + step * (parts + 1) - 1);
    first += step * parts;
  }
  return first;
}

// The same by one thread.
template <typename Mass>
__device__ __forceinline__ int FindByThread(const Mass* sums, int first,
                                            int last, Mass value) {
  while (first < last) {
    const int middle = (first + last) / 2;
    if (__ldg(sums + middle) < value) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

// Of the pieces that start with the masses [first_row, last_row), counts those
// with values [begin, begin + width). Returns how many smaller ones the
// calling thread has seen.
template <int kThreads, typename T>
__device__ int64_t CountRows(const DeviceCircle<T>& circle, int first_row,
                             int last_row, typename DeviceCircle<T>::Mass begin,
                             uint32_t width, uint32_t* counts) {
  using Mass = typename DeviceCircle<T>::Mass;
  constexpr int kAtOnce = DeviceCircle<T>::kSumsBehind + 1;
  // Twice as many as there are if ends move on like starts.
  constexpr int kEndsOfWarp = 2 * kWarpSize;
  const Mass* const sums = circle.sums;
  const int n = static_cast<int>(circle.n);
  int64_t smaller = 0;
#pragma unroll 1
  for (int row = first_row + WarpId() * kWarpSize; row < last_row;
       row += kThreads) {
    // The first ends of 32 starts lie close together.
    const int last = min(row + kWarpSize, last_row) - 1;
    const int lowest =
        FindByWarp<Mass>(sums, row + 1, row + n, __ldg(sums + row) + begin);
    const Mass value_of_last = __ldg(sums + last) + begin;
    int highest = lowest;
    for (int step = kEndsOfWarp;; step *= 2) {
      highest = step < last + n - lowest ? lowest + step : last + n;
      if (__ldg(sums + highest) >= value_of_last) break;
    }
    const int mine = row + LaneId();
    if (mine > last) continue;
    const Mass base = __ldg(sums + mine) + begin;
    int end = FindByThread<Mass>(sums, max(lowest, mine + 1), highest, base);
    smaller += end - (mine + 1);
    for (bool more = true; more; end += kAtOnce) {
      Mass values[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        values[k] = __ldg(sums + end + k) - base;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        if (values[k] < width) {
          atomicAdd(&counts[static_cast<uint32_t>(values[k])], 1u);
        }
      }
      more = values[kAtOnce - 1] < width;
    }
  }
  return smaller;
}

// offsets[v] becomes the number of elements of the spectrum below v, for
// v = 0, ..., values, where `values` is circle.half(). Each block has a tile of
// `tile_width` values, the first one tile `first_tile`. A counter of 32 bits
// holds what `rows` starts can add to it.
template <int kThreads, int kBlocks, typename T>
__global__ void __launch_bounds__(kThreads, kBlocks)
    CountTiles(DeviceCircle<T> circle, int64_t values, int64_t first_tile,
               uint32_t tile_width, int rows, int64_t* offsets) {
  using Mass = typename DeviceCircle<T>::Mass;
  extern __shared__ uint32_t counts[];
  const int64_t begin = (first_tile + blockIdx.x) * tile_width;
  const auto width =
      static_cast<uint32_t>(min(int64_t{tile_width}, values - begin));
  int64_t* const places = offsets + begin;
  const int n = static_cast<int>(circle.n);
  int64_t smaller = 0;
  for (int row = 0; row < n;) {
    for (uint32_t v = threadIdx.x; v < width; v += kThreads) {
      // The piece of no masses.
      counts[v] = begin + v == 0 && row == 0 ? 1 : 0;
    }
    __syncthreads();
    const int end = n - row > rows ? row + rows : n;
    smaller += CountRows<kThreads>(circle, row, end, static_cast<Mass>(begin),
                                   width, counts);
    __syncthreads();
    // The last counts stay where they are.
    if (end < n) {
      for (uint32_t v = threadIdx.x; v < width; v += kThreads) {
        places[v] = counts[v] + (row == 0 ? 0 : places[v]);
      }
    }
    row = end;
  }

  const int64_t below =
      SumByWarps<kThreads>(smaller).all + (begin == 0 ? 0 : 1);
  const bool has_more = n > rows;
  const int64_t here = ScanByBlock<kThreads, int64_t>(
      width, [=](int64_t v) { return counts[v] + (has_more ? places[v] : 0); },
      [=](int64_t v, int64_t sum, int64_t) { places[v] = below + sum; });
  if (begin + width == values && threadIdx.x == 0) places[width] = below + here;
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_CUH_
