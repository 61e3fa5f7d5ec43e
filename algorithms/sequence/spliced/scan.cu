// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans by any operator in the order of algorithms/sequence/order.h, the nodes
// of an up- and downsweep (algorithms/scan/scan.h), in one pass over memory.
//
// The elements of a tile are a node, and so are those of each warp and each
// lane. A tile waits in shared memory, as tuples, until it is known what
// precedes it. Tiles tell each other the nodes that end with them
// (node_status.cuh), so it does not matter which was done when, and no operator
// is trusted to be associative.
//
// Blocks stay, and begin a tile before they finish the one before
// (backends/cuda/tile_turns.cuh).

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/node_status.cuh"
#include "concord/algorithms/sequence/spliced/nodes.cuh"
#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/scan_tile.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/tile_turns.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

static_assert(sizeof(NodeStatus) == ScanStatusBytes(sizeof(State)));

constexpr int kScanWarps = kScanThreads / kWarpSize;

// A lane's elements that are in registers together: 32 bytes of states, or two.
constexpr int kPartElements = sizeof(State) > 8 ? 2 : 32 / sizeof(State);
constexpr int kParts = kLaneElements / kPartElements;

// The nodes that a lane has of a tile.
class TileNodes {
 public:
  // From the elements up. Returns, in a warp's last lane, what the warp's
  // amount to.
  __device__ __forceinline__ State Up(const TileMemory& tile) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      parts_.SetElement(part, ElementsOf(tile, part).Up());
    }
    return lanes_.Up(parts_.Up());
  }

  // Puts results in place of the elements. `before`: what precedes the warp's.
  __device__ __forceinline__ void Down(const TileMemory& tile, Before before,
                                       bool exclusive) {
    lanes_.Down(before);
    parts_.Down(before, /*exclusive=*/true);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      LaneNodes<kPartElements> elements = ElementsOf(tile, part);
      elements.Up();
      elements.Down({parts_.result(part), before.any || part > 0}, exclusive);
      State results[kPartElements];
#pragma unroll
      for (int k = 0; k < kPartElements; ++k) results[k] = elements.result(k);
      tile.Store(FirstOf(part), results);
    }
  }

 private:
  __device__ static int FirstOf(int part) {
    return static_cast<int>(threadIdx.x) * kLaneElements + part * kPartElements;
  }
  __device__ __forceinline__ static LaneNodes<kPartElements> ElementsOf(
      const TileMemory& tile, int part) {
    State states[kPartElements];
    tile.Load(FirstOf(part), states);
    LaneNodes<kPartElements> elements;
#pragma unroll
    for (int k = 0; k < kPartElements; ++k) elements.SetElement(k, states[k]);
    return elements;
  }

  LaneNodes<kParts> parts_;
  LaneSweep<> lanes_;
};

// A tile of a block: its elements, and of its warps what they amount to, and in
// the end what precedes them.
struct BlockTile {
  TileMemory elements;
  State* warps;
};

// The scan of one launch.
struct Scan {
  const spliced::Arguments& arguments;
  NodeStatuses statuses;
  // Whether something precedes the first element.
  bool begins;
  // Without the element itself.
  bool exclusive;

  // Brings the tile and tells what it amounts to.
  __device__ __forceinline__ void Begin(TileTicket ticket,
                                        const BlockTile& tile) const {
    FetchTile(tile.elements, FirstOf(ticket), arguments);
    __syncwarp();
    const State of_warp = TileNodes().Up(tile.elements);
    if (LaneId() == kWarpSize - 1) tile.warps[WarpId()] = of_warp;
    __syncthreads();
    if (WarpId() != 0) return;
    const State all = WarpNodes().Up(tile.warps[LaneId() % kScanWarps]);
    TellTile(ticket, StateOfLane(all, kScanWarps - 1), statuses);
  }

  // Scans the tile, which has begun. What precedes it is asked for late, when
  // it is likely to be there.
  __device__ __forceinline__ void Finish(TileTicket ticket,
                                         const BlockTile& tile) const {
    TileNodes nodes;
    nodes.Up(tile.elements);
    if (WarpId() == 0) {
      WarpNodes of_warps;
      of_warps.Up(tile.warps[LaneId() % kScanWarps]);
      Before before = BeforeTile(ticket, begins, statuses);
      of_warps.Down(before);
      __syncwarp();
      if (LaneId() < kScanWarps) tile.warps[LaneId()] = before.state;
    }
    __syncthreads();
    const bool preceded = begins || ticket.tile > 0 || WarpId() > 0;
    nodes.Down(tile.elements, {tile.warps[WarpId()], preceded}, exclusive);
    __syncwarp();
    WriteTile(tile.elements, FirstOf(ticket), arguments);
  }

 private:
  using WarpNodes = LaneSweep<kScanWarps>;

  __device__ static int64_t FirstOf(TileTicket ticket) {
    return int64_t{ticket.tile} * kTileElements;
  }
};

// As many blocks as run at once, if there are so many tiles. `begins`: whether
// something precedes the first element. `exclusive`: without the element
// itself; the first result is then what the pass begins with. `counter` and
// `statuses` are of this kernel alone (backends/cuda/tile_status.cuh), zero at
// first: a status for each tile and one for each 32 of them.
extern "C" __global__ void __launch_bounds__(kScanThreads,
                                             ScanBlocks(sizeof(State)))
    concord_scan(const __grid_constant__ spliced::Arguments arguments,
                 int begins, int exclusive, uint32_t tiles,
                 unsigned long long* counter, NodeStatus* statuses) {
  extern __shared__ uint4 tile_memory[];
  __shared__ State warps[2][kScanWarps];
  const Scan scan{
      arguments, {statuses, statuses + tiles}, begins != 0, exclusive != 0};
  const auto tile_of = [&](int buffer) {
    char* const memory = reinterpret_cast<char*>(tile_memory);
    return BlockTile{TileMemory(memory + buffer * kScanTileBytes),
                     warps[buffer]};
  };
  TakeTurns(
      counter, tiles,
      [&](TileTicket ticket, int k) { scan.Begin(ticket, tile_of(k)); },
      [&](TileTicket ticket, int k) { scan.Finish(ticket, tile_of(k)); });
}

}  // namespace concord::sequence
