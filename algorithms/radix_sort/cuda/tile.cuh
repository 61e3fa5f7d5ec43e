// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sort of so few elements that one block does all of it in shared memory.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_TILE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_TILE_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

template <int kThreadsOfBlock, int kItemsOfThread>
struct TileShape {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kItems = kItemsOfThread;
  static constexpr int kElements = kThreads * kItems;
};

// The counts of few warps are summed up faster. With more elements to a thread,
// ranking them takes longer than that saves.
using TinyTile = TileShape<256, 4>;
using SmallTile = TileShape<512, 8>;
inline constexpr int kTileElements = SmallTile::kElements;

// One block takes as long for so many as the launches of several passes do,
// where a thread has registers for its elements.
using LargeTile = TileShape<1024, 16>;
template <typename Bits, typename Value>
inline constexpr bool kHasLargeTile = kBytesOfElement<Bits, Value> <= 8;

template <typename Bits, typename Value, typename Shape>
struct TileMemory {
  RankMemory<Shape::kThreads / kWarpSize> rank;
  Bits keys[Shape::kElements];
  Value values[kHasValues<Value> ? Shape::kElements : 1];
};

// The values of the output have the type Out.
template <typename Bits, typename Value, typename Out, typename Shape>
__global__ void __launch_bounds__(Shape::kThreads)
    SortTile(SortArrays<Bits, Value> arrays, KeyDigits digits) {
  constexpr int kTileThreads = Shape::kThreads;
  constexpr int kTileItems = Shape::kItems;
  extern __shared__ uint4 dynamic_memory[];
  auto& memory =
      *reinterpret_cast<TileMemory<Bits, Value, Shape>*>(dynamic_memory);
  const auto n = static_cast<int>(arrays.size);
  // Few elements are spread over all warps.
  const int rows = (n + kTileThreads - 1) / kTileThreads;
  const int mine = WarpId() * rows * kWarpSize + LaneId();
  Bits keys[kTileItems];
  Value values[kTileItems];
#pragma unroll
  for (int i = 0; i < kTileItems; ++i) {
    const int place = mine + i * kWarpSize;
    const bool present = i < rows && place < n;
    // What is absent comes last, after all that has the highest digits.
    keys[i] = present ? arrays.map.Map(arrays.keys_in[place])
                      : static_cast<Bits>(~Bits{0});
    if constexpr (kHasValues<Value>) {
      values[i] = static_cast<Value>(place);
      if (present && arrays.values_in != nullptr) {
        values[i] = arrays.values_in[place];
      }
    }
  }

  const int passes = digits.count();
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    const KeyDigit digit = digits[pass];
    ClearCounts(memory.rank);
    __syncthreads();
    uint32_t* const counts = memory.rank.counts[WarpId()];
#pragma unroll
    for (int i = 0; i < kTileItems; ++i) {
      if (i < rows) atomicAdd(&counts[digit(keys[i])], 1u);
    }
    __syncthreads();
    SumUpCounts<kTileThreads>(memory.rank, [](uint32_t) {});
#pragma unroll
    for (int i = 0; i < kTileItems; ++i) {
      if (i >= rows) break;
      const uint32_t place = TakePlace<false>(digit(keys[i]), counts);
      memory.keys[place] = keys[i];
      if constexpr (kHasValues<Value>) memory.values[place] = values[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileItems; ++i) {
      if (i >= rows) break;
      keys[i] = memory.keys[mine + i * kWarpSize];
      if constexpr (kHasValues<Value>) {
        values[i] = memory.values[mine + i * kWarpSize];
      }
    }
    // The next pass writes no element before all threads have cleared counts.
  }
#pragma unroll
  for (int i = 0; i < kTileItems; ++i) {
    const int place = mine + i * kWarpSize;
    if (i >= rows || place >= n) break;
    arrays.out.keys[place] = arrays.map.Unmap(keys[i]);
    if constexpr (kHasValues<Value>) {
      reinterpret_cast<Out*>(arrays.out.values)[place] = values[i];
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_TILE_CUH_
