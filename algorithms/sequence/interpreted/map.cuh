// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_MAP_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_MAP_CUH_

#include "concord/algorithms/sequence/interpreted/frame.cuh"

namespace concord::sequence {

template <typename W>
__global__ void __launch_bounds__(kMostThreads, kBlocksPerMultiprocessor<W>)
    InterpretedMap(const __grid_constant__ Arrays arrays, SlotRoom room,
                   int64_t tiles, const Step* steps) {
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int64_t tile_elements = int64_t{blockDim.x} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const TileLanes lanes =
        LanesOfTile<W>(arrays, arrays.begin + tile * tile_elements);
    Register<W> a = {};
    Machine<W, 2>(arrays, lanes, slots).Run(steps, a);
  }
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_MAP_CUH_
