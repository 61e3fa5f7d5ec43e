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

// Tells the total of the tile and returns what precedes it. A whole warp calls
// it; every lane gets the result. `begins`: whether something precedes the
// first tile.
__device__ __forceinline__ Before BeforeTile(TileTicket ticket,
                                             const State& total, bool begins,
                                             NodeStatuses statuses) {
  const uint32_t flag = ticket.epoch << 2 | 1;
  const int lane = LaneId();
  const int member = static_cast<int>(ticket.tile % kWarpSize);
  const uint32_t group = ticket.tile / kWarpSize;
  if (lane == member) Publish(&statuses.tiles[ticket.tile], flag, total);

  // Lane k watches tile k of the group, if it precedes this one, and of what
  // precedes the group the node of 2^k groups, if there is one.
  bool has_tile = lane >= member;
  bool has_node = (group >> lane & 1) == 0;
  State tile = total;
  State node{};
  const auto watch = [&] {
    if (!has_tile) {
      has_tile =
          Watch(&statuses.tiles[ticket.tile - member + lane], flag, tile);
    }
    if (!has_node) {
      has_node =
          Watch(&statuses.groups[(group >> lane << lane) - 1], flag, node);
    }
  };
  // The nodes of the low bits that are set end where the group begins: with the
  // group they make up the node that ends with it. Its last tile tells that
  // before it waits for anything else, or each group would wait for the one
  // before.
  const int low =
      member == kWarpSize - 1 ? __ffs(static_cast<int>(~group)) - 1 : 0;
  do {
    watch();
  } while (__any_sync(kWholeWarp, !has_tile || (lane < low && !has_node)));
  LaneSweep sweep;
  State largest = StateOfLane(sweep.Up(tile), kWarpSize - 1);
  if (member == kWarpSize - 1) {
#pragma unroll 1
    for (int k = 0; k < low; ++k) {
      largest = Combined(StateOfLane(node, k), largest);
    }
    if (lane == 0) Publish(&statuses.groups[group], flag, largest);
  }
  while (__any_sync(kWholeWarp, !has_node)) watch();
  Before before{Beginning(), begins};
#pragma unroll 1
  for (uint32_t bits = group; bits != 0;) {
    const int k = 31 - __clz(static_cast<int>(bits));
    before.Append(StateOfLane(node, k));
    bits ^= 1u << k;
  }
  sweep.Down(before);
  return {StateOfLane(before.state, member), begins || ticket.tile > 0};
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODE_STATUS_CUH_
