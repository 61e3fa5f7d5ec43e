// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Filters in two passes: the first says which elements are kept, a bit for
// each, and how many of each tile; the second puts them where they go.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FILTER_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FILTER_CUH_

#include "concord/algorithms/sequence/interpreted/frame.cuh"
#include "concord/core/operators.h"

namespace concord::sequence {

using machine::Kept;

template <typename W>
__global__ void __launch_bounds__(kMostThreads, kBlocksPerMultiprocessor<W>)
    InterpretedFilterCount(const __grid_constant__ Arrays arrays, SlotRoom room,
                           int64_t tiles,
                           const __grid_constant__ FilterCall call) {
  __shared__ int of_warps[kMostWarps];
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const TileLanes lanes = LanesOfTile<W>(arrays, tile * tile_elements);
    Register<W> a = {};
    Machine<W, 2, true>(arrays, lanes, slots).Run(call.keep, a);
    unsigned kept = 0;
    Unrolled<kLanes<W>>([&](int e) {
      if (a[e] != 0 && (lanes.whole || arrays.Have(lanes.element(e)))) {
        kept |= 1u << e;
      }
    });
    call.kept[tile * blockDim.x + threadIdx.x] =
        static_cast<std::uint16_t>(kept);
    const int of_warp = WarpReduce<Add<int>>(__popc(kept));
    if (LaneId() == 0) of_warps[WarpId()] = of_warp;
    __syncthreads();
    if (threadIdx.x == 0) {
      int64_t count = 0;
      for (unsigned w = 0; w < blockDim.x / kWarpSize; ++w) {
        count += of_warps[w];
      }
      call.counts[tile] = count;
      // The scan before each reads one more.
      if (tile == tiles - 1) call.counts[tiles] = 0;
    }
    __syncthreads();  // the counts have been read
  }
}

// Where the elements of a thread that `bits` says go: `base` is where the tile
// begins. A count of 8 bits for each group of lanes is enough for a warp.
__device__ __forceinline__ Kept PlacesOf(unsigned bits, int64_t base) {
  constexpr int kGroups = sizeof(Kept::before) / sizeof(Kept::before[0]);
  __shared__ unsigned of_warps[kMostWarps];
  const auto count = [](unsigned counts, int group) {
    return static_cast<int>(counts >> 8 * group & 0xff);
  };
  unsigned counts = 0;
  for (int g = 0; g < kGroups; ++g) {
    counts |= static_cast<unsigned>(__popc(bits >> g * Kept::kGroup & 0xf))
              << 8 * g;
  }
  unsigned up_to[1] = {counts};
  WarpInclusiveScan<Add<unsigned>>(up_to);
  if (LaneId() == kWarpSize - 1) of_warps[WarpId()] = up_to[0];
  __syncthreads();
  Kept kept{bits, {}, base};
  int groups[kGroups] = {};
  for (int w = 0; w < static_cast<int>(blockDim.x) / kWarpSize; ++w) {
    for (int g = 0; g < kGroups; ++g) {
      groups[g] += count(of_warps[w], g);
      if (w < WarpId()) kept.before[g] += count(of_warps[w], g);
    }
  }
  int all = 0;
  for (int g = 0; g < kGroups; ++g) {
    kept.before[g] += all + count(up_to[0] - counts, g);
    all += groups[g];
  }
  __syncthreads();  // the counts have been read
  return kept;
}

template <typename W>
__global__ void __launch_bounds__(kMostThreads, kFewerBlocks)
    InterpretedFilterPut(const __grid_constant__ Arrays arrays, SlotRoom room,
                         int64_t tiles,
                         const __grid_constant__ FilterCall call) {
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Kept kept =
        PlacesOf(call.kept[tile * blockDim.x + threadIdx.x], call.starts[tile]);
    const TileLanes lanes = LanesOfTile<W>(arrays, tile * tile_elements);
    Register<W> a = {};
    Machine<W, 2, true>(arrays, lanes, slots, kept).Run(call.values, a);
  }
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FILTER_CUH_
