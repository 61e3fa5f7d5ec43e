// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A function of columns, element by element. Everything but the loop is spliced
// in.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::sequence {

constexpr int64_t kMapTile = MapTile(CONCORD_MAP_GROUPS);

extern "C" __global__ void __launch_bounds__(kMapThreads)
    concord_map(const __grid_constant__ spliced::Arguments arguments) {
  const int64_t tile =
      (arguments.begin / kMapTile + int64_t{blockIdx.x}) * kMapTile;
  if (arguments.aligned != 0 && tile >= arguments.begin &&
      tile + kMapTile <= arguments.end) {
    asm volatile("//CONCORD map %0, %1, %2"
                 :
                 : "l"(tile + threadIdx.x * spliced::kMapGroup),
                   "n"(CONCORD_MAP_GROUPS), "n"(kMapThreads * spliced::kMapGroup)
                 : "memory");
    return;
  }
  const int64_t end = min(tile + kMapTile, arguments.end);
#pragma unroll 1
  for (int64_t i = max(tile, arguments.begin) + threadIdx.x; i < end;
       i += kMapThreads) {
    asm volatile("//CONCORD map_one %0" : : "l"(i) : "memory");
  }
}

}  // namespace concord::sequence
