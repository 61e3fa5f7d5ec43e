// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The grids that make passes: one, of which each block has a tile, or all of
// them, in which blocks draw tile after tile.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASSES_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASSES_CUH_

#include <cooperative_groups.h>

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/lookback.cuh"
#include "concord/algorithms/radix_sort/cuda/pass.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/lookback.cuh"

namespace concord::radix_sort {

// One pass. Each block has one tile.
template <typename Bits, typename Value, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    SortTilesByDigit(SortArrays<Bits, Value> arrays, int pass,
                     const SortPlan* plan, uint32_t tiles,
                     unsigned long long* counter, DigitStatus* statuses) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PassMemory<Bits, Value, P>*>(dynamic_memory);
  WaitForGridBefore();
  const PassPlan moves = plan->passes[pass];
  if (moves.skipped) return;
  const auto draw = [&] { memory.ticket = DrawTile(counter, tiles); };
  if (threadIdx.x == 0) draw();
  ClearCounts(memory.rank);
  __syncthreads();
  MoveTile<false, Out>(arrays, pass, *plan, moves, memory.ticket, statuses,
                       memory, draw);
}

// Blocks that have waited for each other would go on in step, and all load or
// all store at a time. So every other one starts later, by about a third of
// what a tile takes it on an H200.
inline constexpr unsigned kLaterNanoseconds = 4000;

// The blocks of a grid copy the keys, with few registers: the passes are to
// have theirs.
template <typename Bits>
__device__ __forceinline__ void CopyKeys(const Bits* from, int64_t size,
                                         Bits* to) {
  constexpr int kLoads = 32 / sizeof(Bits);
  const int64_t row = int64_t{gridDim.x} * blockDim.x;
  int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (; i + (kLoads - 1) * row < size; i += kLoads * row) {
    Bits keys[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) keys[k] = from[i + k * row];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) to[i + k * row] = keys[k];
  }
#pragma unroll 1
  for (; i < size; i += row) to[i] = from[i];
}

// All passes of keys alone. The grid is cooperative: its blocks draw tiles
// until there are none, and wait for each other after each pass.
template <typename Bits, typename Value, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    SortTilesInTurn(SortArrays<Bits, Value> arrays, int passes,
                    const SortPlan* plan, uint32_t tiles,
                    unsigned long long* counter, DigitStatus* statuses) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PassMemory<Bits, Value, P>*>(dynamic_memory);
  static_assert(!kHasValues<Value>);
  const auto draw = [&] {
    memory.ticket = DrawTile(counter, tiles + gridDim.x);
  };
  if (!plan->passes[0].skipped && plan->passes[0].digit.mask == 0) {
    // The only pass: from the input, where keys are as they were given.
    CopyKeys(arrays.keys_in, arrays.size, arrays.out.keys);
    return;
  }
  bool is_first = true;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    const PassPlan moves = plan->passes[pass];
    if (moves.skipped) continue;
    if (!is_first) {
      cooperative_groups::this_grid().sync();
      if (threadIdx.x == 0 && blockIdx.x % 2 == 1) {
        __nanosleep(kLaterNanoseconds);
      }
    }
    is_first = false;
    if (threadIdx.x == 0) draw();
    ClearCounts(memory.rank);
    __syncthreads();
#pragma unroll 1
    for (TileTicket ticket = memory.ticket; ticket.tile < tiles;
         ticket = memory.ticket) {
      MoveTile<true, Out>(arrays, pass, *plan, moves, ticket, statuses, memory,
                          draw);
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASSES_CUH_
