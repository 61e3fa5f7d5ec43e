// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the tiles of a scan tell each other what their nodes amount to: as in
// algorithms/scan/cuda/fixed_order.cu, in the tree of P. M. Fenwick ("A new
// data structure for cumulative frequency tables", 1994), in which each place
// has the largest node that ends there.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODE_STATUS_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODE_STATUS_CUH_

#include <cstdint>

#include "concord/algorithms/sequence/spliced/nodes.cuh"
#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

// Of 32 bits.
constexpr int kStateParts = CONCORD_WORDS * CONCORD_WORD_BITS / 32;

// A state of any length, in parts of which each has a flag of its own: a part
// and its flag are one memory access, and the parts may come one by one.
struct alignas(kStateParts == 1 ? 8 : 16) NodeStatus {
  uint64_t part[kStateParts];
};

__device__ __forceinline__ uint32_t PartOf(const State& state, int part) {
#if CONCORD_WORD_BITS == 64
  return static_cast<uint32_t>(state.word[part / 2] >> part % 2 * 32);
#else
  return state.word[part];
#endif
}

__device__ __forceinline__ void Publish(NodeStatus* at, uint32_t flag,
                                        const State& state) {
#pragma unroll
  for (int k = 0; k < kStateParts; ++k) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(&at->part[k]),
                   "l"(uint64_t{flag} << 32 | PartOf(state, k))
                 : "memory");
  }
}

// Whether all parts are there; only then is `state` what was published.
__device__ __forceinline__ bool Watch(const NodeStatus* at, uint32_t flag,
                                      State& state) {
  uint64_t parts[kStateParts];
  if constexpr (kStateParts == 1) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(parts[0])
                 : "l"(at)
                 : "memory");
  } else {
#pragma unroll
    for (int k = 0; k < kStateParts; k += 2) {
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(parts[k]), "=l"(parts[k + 1])
                   : "l"(&at->part[k])
                   : "memory");
    }
  }
  bool all = true;
#pragma unroll
  for (int k = 0; k < kStateParts; ++k) {
    all = all && static_cast<uint32_t>(parts[k] >> 32) == flag;
  }
#pragma unroll
  for (int w = 0; w < CONCORD_WORDS; ++w) {
#if CONCORD_WORD_BITS == 64
    state.word[w] = parts[2 * w + 1] << 32 | (parts[2 * w] & 0xffffffffu);
#else
    state.word[w] = static_cast<uint32_t>(parts[w]);
#endif
  }
  return all;
}

// Of the tiles of one launch: each one's total; and by the last of 32 tiles, a
// group, the largest node that ends with the group.
struct NodeStatuses {
  NodeStatus* tiles;
  NodeStatus* groups;
};

// What lanes wait for: lane k for tile k of the ticket's group, if it precedes
// the ticket's, and for the node of 2^k groups before the group, if there is
// one and `nodes` has its bit.
class AwaitedNodes {
 public:
  __device__ __forceinline__ AwaitedNodes(TileTicket ticket, uint32_t nodes,
                                          NodeStatuses statuses) {
    const uint32_t flag = ticket.epoch << 2 | 1;
    const int lane = LaneId();
    const uint32_t group = ticket.tile / kWarpSize;
    bool has_tile = lane >= static_cast<int>(ticket.tile % kWarpSize);
    bool has_node = ((group & nodes) >> lane & 1) == 0;
    do {
      if (!has_tile) {
        has_tile =
            Watch(&statuses.tiles[group * kWarpSize + lane], flag, tile_);
      }
      if (!has_node) {
        has_node =
            Watch(&statuses.groups[(group >> lane << lane) - 1], flag, node_);
      }
    } while (__any_sync(kWholeWarp, !has_tile || !has_node));
  }

  // This lane's tile.
  __device__ const State& tile() const { return tile_; }
  // Of 2^k groups.
  __device__ __forceinline__ State NodeOf(int k) const {
    return StateOfLane(node_, k);
  }

 private:
  State tile_{};
  State node_{};
};

// Tells the total of a tile; the last one of a group tells its node, too, for
// which it waits for what the node is made of. A whole warp calls it.
__device__ __forceinline__ void TellTile(TileTicket ticket, const State& total,
                                         NodeStatuses statuses) {
  const uint32_t flag = ticket.epoch << 2 | 1;
  const int last = kWarpSize - 1;
  if (LaneId() == last) Publish(&statuses.tiles[ticket.tile], flag, total);
  if (ticket.tile % kWarpSize != last) return;
  // The nodes of the low bits that are set end where the group begins: with the
  // group they make up the node that ends with it.
  const uint32_t group = ticket.tile / kWarpSize;
  const int low = __ffs(static_cast<int>(~group)) - 1;
  const AwaitedNodes awaited(ticket, (1u << low) - 1, statuses);
  const State tile = LaneId() == last ? total : awaited.tile();
  State largest = StateOfLane(LaneSweep<>().Up(tile), last);
#pragma unroll 1
  for (int k = 0; k < low; ++k) largest = Combined(awaited.NodeOf(k), largest);
  if (LaneId() == last) Publish(&statuses.groups[group], flag, largest);
}

// What precedes a tile. A whole warp calls it; every lane gets the result.
// `begins`: whether something precedes the first tile.
__device__ __forceinline__ Before BeforeTile(TileTicket ticket, bool begins,
                                             NodeStatuses statuses) {
  const AwaitedNodes awaited(ticket, ~0u, statuses);
  Before before{Beginning(), begins};
#pragma unroll 1
  for (uint32_t bits = ticket.tile / kWarpSize; bits != 0;) {
    const int k = 31 - __clz(static_cast<int>(bits));
    before.Append(awaited.NodeOf(k));
    bits ^= 1u << k;
  }
  // Nothing of the lanes from the tile's on reaches what precedes it.
  LaneSweep<> sweep;
  sweep.Up(awaited.tile());
  sweep.Down(before);
  const int member = static_cast<int>(ticket.tile % kWarpSize);
  return {StateOfLane(before.state, member), begins || ticket.tile > 0};
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODE_STATUS_CUH_
