// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans by any operator in the order of algorithms/sequence/order.h, the nodes
// of an up- and downsweep (algorithms/scan/scan.h), in one pass over memory.
//
// The elements of a tile are a node, and so are those of each step of a warp
// and those of each lane. A tile waits in shared memory, as tuples, until it is
// known what precedes it. Tiles tell each other the nodes that end with them
// (node_status.cuh), so it does not matter which was done when, and no operator
// is trusted to be associative.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/node_status.cuh"
#include "concord/algorithms/sequence/spliced/nodes.cuh"
#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

constexpr int kScanWarps = kScanThreads / kWarpSize;
constexpr int kLaneElements = ScanLaneElements(sizeof(State));
// Elements of a step of a warp; there is a step for each lane of one warp.
constexpr int kStepElements = kWarpSize * kLaneElements;
constexpr int kSteps = kWarpSize;
constexpr int kTileElements = kSteps * kStepElements;
static_assert(kTileElements * sizeof(State) == kScanSharedBytes);
static_assert(sizeof(NodeStatus) == ScanStatusBytes(sizeof(State)));

// Rows of a warp's part of the tile: an element for each lane. So many are read
// before the first is put away, as far as registers go.
constexpr int kRows = kTileElements / kScanThreads;
constexpr int kBatch = kStateParts <= 2 ? 32 : 32 / kStateParts;
static_assert(kRows % kBatch == 0);

// Blocks that share a multiprocessor: shared memory has room for three tiles of
// 64 KiB, and wide states need the registers of two or three blocks.
constexpr int kScanBlocks = kStateParts <= 4 ? 3 : kStateParts == 8 ? 2 : 1;

// The tuples of a tile, a plane for each word. What lanes read or write
// together, neighbours or each the first of its own, lies in different banks.
class TileMemory {
 public:
  __device__ explicit TileMemory(void* memory)
      : words_(static_cast<StateWord*>(memory)) {}

  __device__ __forceinline__ State Load(int element) const {
    State state;
#pragma unroll
    for (int w = 0; w < CONCORD_WORDS; ++w) {
      state.word[w] = words_[w * kTileElements + Slot(element)];
    }
    return state;
  }
  __device__ __forceinline__ void Store(int element, const State& state) const {
#pragma unroll
    for (int w = 0; w < CONCORD_WORDS; ++w) {
      words_[w * kTileElements + Slot(element)] = state.word[w];
    }
  }

 private:
  // Words that all banks hold.
  static constexpr int kBankWords = 128 / sizeof(StateWord);

  __device__ static int Slot(int element) {
    return element ^ (element / kBankWords & (kLaneElements - 1));
  }

  StateWord* const words_;
};

// Brings a warp's part of the tile, whose first element is `first`.
__device__ __forceinline__ void FetchRows(const TileMemory& tile, int64_t first,
                                          int64_t end) {
  const int lane_first = WarpId() * kRows * kWarpSize + LaneId();
  if (first + kTileElements <= end) {
#pragma unroll 1
    for (int row = 0; row < kRows; row += kBatch) {
      State states[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        states[k] = BegunWith(first + lane_first + (row + k) * kWarpSize);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        tile.Store(lane_first + (row + k) * kWarpSize, states[k]);
      }
    }
    return;
  }
#pragma unroll 1
  for (int row = 0; row < kRows; ++row) {
    const int element = lane_first + row * kWarpSize;
    State state{};
    if (first + element < end) state = BegunWith(first + element);
    tile.Store(element, state);
  }
}

// The elements of this lane in a step.
__device__ __forceinline__ LaneNodes<kLaneElements> NodesOfLane(
    const TileMemory& tile, int step) {
  LaneNodes<kLaneElements> nodes;
  const int first = step * kStepElements + LaneId() * kLaneElements;
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    nodes.SetElement(k, tile.Load(first + k));
  }
  return nodes;
}

// Puts what is asked for in place of the elements of a step, and writes it.
// `before`: what precedes the step.
__device__ __forceinline__ void ScanStep(const TileMemory& tile, int step,
                                         Before before, bool exclusive,
                                         int64_t first, int64_t end) {
  LaneNodes<kLaneElements> nodes = NodesOfLane(tile, step);
  LaneSweep sweep;
  sweep.Up(nodes.Up());
  sweep.Down(before);
  nodes.Down(before, exclusive);
  const int of_lane = step * kStepElements + LaneId() * kLaneElements;
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    tile.Store(of_lane + k, nodes.result(k));
  }
  __syncwarp();
  const int row_first = step * kStepElements + LaneId();
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    const int element = row_first + k * kWarpSize;
    if (first + element < end) {
      StoreAt(tile.Load(element), first + element);
    }
  }
}

// A block for each tile. `begins`: whether something precedes the first
// element. `exclusive`: without the element itself; the first result is then
// what the pass begins with. `counter` and `statuses` are of this kernel alone
// (backends/cuda/tile_status.cuh), zero at first: a status for each tile and
// one for each 32 of them.
extern "C" __global__ void __launch_bounds__(kScanThreads, kScanBlocks)
    concord_scan(const __grid_constant__ spliced::Arguments arguments,
                 int begins, int exclusive, unsigned long long* counter,
                 NodeStatus* statuses) {
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  // First what the steps amount to, then what precedes them.
  __shared__ State steps[kSteps];
  if (threadIdx.x == 0) ticket = DrawTile(counter, gridDim.x);
  __syncthreads();
  const TileMemory tile(tile_memory);
  const int64_t first = int64_t{ticket.tile} * kTileElements;
  FetchRows(tile, first, arguments.end);
  __syncwarp();

  constexpr int kStepsOfWarp = kSteps / kScanWarps;
#pragma unroll 1
  for (int k = 0; k < kStepsOfWarp; ++k) {
    const int step = WarpId() * kStepsOfWarp + k;
    const State total = LaneSweep().Up(NodesOfLane(tile, step).Up());
    if (LaneId() == kWarpSize - 1) steps[step] = total;
  }
  __syncthreads();
  if (WarpId() == 0) {
    LaneSweep sweep;
    const State total = StateOfLane(sweep.Up(steps[LaneId()]), kWarpSize - 1);
    Before before = BeforeTile(ticket, total, begins != 0,
                               {statuses, statuses + gridDim.x});
    sweep.Down(before);
    steps[LaneId()] = before.state;
  }
  __syncthreads();

#pragma unroll 1
  for (int k = 0; k < kStepsOfWarp; ++k) {
    const int step = WarpId() * kStepsOfWarp + k;
    const bool preceded = begins != 0 || ticket.tile > 0 || step > 0;
    ScanStep(tile, step, {steps[step], preceded}, exclusive != 0, first,
             arguments.end);
  }
}

}  // namespace concord::sequence
