// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the kernels of all frames have in common. A block goes from tile to
// tile, because slots in global memory are for a grid of limited size.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FRAME_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FRAME_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/backends/cuda/interpreter/machine.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

using machine::Arrays;
using machine::Code;
using machine::kLanes;
using machine::Lanes;
using machine::Machine;
using machine::Register;
using machine::Slots;
using machine::Step;
using machine::Unrolled;

inline constexpr int kMostThreads = 128;
inline constexpr int kMostWarps = kMostThreads / kWarpSize;
// For 72 registers of a thread, or 102 with words of 64 bits: so many that
// nothing is spilled.
template <typename W>
inline constexpr int kBlocksPerMultiprocessor = sizeof(W) == 4 ? 7 : 5;
// For 102 registers: what goes to places, and rows, take more.
inline constexpr int kFewerBlocks = 5;

// Of this thread.
template <typename W>
__device__ __forceinline__ Slots<W> SlotsOfThread(const SlotRoom& room) {
  const int of_warp = room.slots * machine::kSlotPacks<W>;
  const int first = WarpId() * of_warp + LaneId();
  if (room.global == nullptr) return {nullptr, first};
  const int64_t block_words =
      int64_t{blockDim.x / kWarpSize} * of_warp * machine::kPack<W>;
  return {static_cast<W*>(room.global) + blockIdx.x * block_words, first};
}

// The elements of a thread in a tile, in groups as large as vectors.
using TileLanes = Lanes<2>;

// The tile that begins with element `first`.
template <typename W>
__device__ __forceinline__ TileLanes LanesOfTile(const Arrays& arrays,
                                                 int64_t first) {
  const int threads = static_cast<int>(blockDim.x);
  return {first + static_cast<int>(threadIdx.x) * TileLanes::kGroup,
          threads * TileLanes::kGroup,
          arrays.aligned != 0 && first + threads * kLanes<W> <= arrays.end};
}

// Queues the kernel for so many tiles.
template <typename... Parameters, typename... Arguments>
absl::Status LaunchTiles(const CudaBackend& backend,
                         void (*kernel)(Arrays, SlotRoom, int64_t,
                                        Parameters...),
                         const Arrays& arrays, const SlotRoom& room,
                         std::int64_t tiles, const Arguments&... arguments) {
  LaunchShape shape{std::min(tiles, LaunchShape::kMostBlocks),
                    dim3(room.threads),
                    std::int64_t{room.slots} * kSlotBytes * room.threads};
  if (room.global != nullptr) {
    shape = {std::min(tiles, room.blocks), dim3(room.threads)};
  }
  return QueueKernel(backend, "an interpreted pass", kernel, shape, arrays,
                     room, tiles, arguments...);
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FRAME_CUH_
