// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks that stay, and work on tiles in two steps. In the first one a block
// brings a tile and tells the others what it amounts to, in the second it
// finishes the tile with what they have told. Between the two it begins its
// next tile: so most of what a tile waits for was told while the block had
// something else to do, and memory is read meanwhile.

#ifndef CONCORD_BACKENDS_CUDA_TILE_TURNS_CUH_
#define CONCORD_BACKENDS_CUDA_TILE_TURNS_CUH_

#include <cstdint>

#include "concord/backends/cuda/tile_status.cuh"

namespace concord {

// `begin(ticket, buffer)` and `finish(ticket, buffer)` of one tile after the
// other, in two buffers, 0 and 1. All threads of the block call them; `begin`
// waits for all of them once, and waits for no other tile than earlier ones.
//
// A tile is drawn when the block can begin it. One that is drawn earlier is
// told late, and keeps all later ones waiting: a quarter of the time, in scans.
template <typename Begin, typename Finish>
__device__ __forceinline__ void TakeTurns(unsigned long long* counter,
                                          uint32_t tiles, Begin begin,
                                          Finish finish) {
  __shared__ TileTicket drawn;
  // With more tiles than blocks, each block draws until none is left.
  const bool one_tile = gridDim.x == tiles;
  const uint32_t draws = one_tile ? tiles : tiles + gridDim.x;
  TileTicket begun{tiles, 0};  // none
#pragma unroll 1
  for (int buffer = 0;; buffer ^= 1) {
    TileTicket next{tiles, 0};
    if (!one_tile || begun.tile == tiles) {
      if (threadIdx.x == 0) drawn = DrawTile(counter, draws);
      __syncthreads();
      next = drawn;
    }
    if (next.tile < tiles) begin(next, buffer);
    if (begun.tile < tiles) finish(begun, buffer ^ 1);
    if (next.tile >= tiles) break;
    begun = next;
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_TILE_TURNS_CUH_
