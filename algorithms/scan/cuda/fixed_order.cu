// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The order that scan.h defines, Blelloch's (1990), in one pass over memory.
// Tiles, warps and the steps of a warp are nodes of it. As in lookback.cu the
// tiles hand on what they amount to while their elements wait in shared memory;
// but beyond 32 tiles they do so as in the tree of P. M. Fenwick ("A new data
// structure for cumulative frequency tables", 1994), in which each place has
// the largest node that ends there. What precedes a place is made of as many
// nodes as its number has bits, of which each lane of a warp watches one. So it
// does not matter which tile was when done.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/algorithms/scan/cuda/tile.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

// Everything is a power of two, so that tiles are nodes. 3 * 64 KiB of a Hopper
// multiprocessor's 228 KiB are in flight; 6 * 32 KiB take a quarter longer, for
// all the statuses that the tiles wait for. GPUs that have no more than 64 KiB
// for a block take the small tiles.
using LargeTiles = TilePolicy</*threads=*/512, /*vectors=*/8, /*blocks=*/3>;
using SmallTiles = TilePolicy</*threads=*/256, /*vectors=*/8, /*blocks=*/1>;

// Upsweep and downsweep over the lanes of a warp, each with a node of equal
// size.
template <typename Op>
class LaneSweep {
 public:
  using T = typename Op::Element;

  // `total`: of the lane's node. Returns that of all lanes' nodes together.
  __device__ __forceinline__ T Up(T total) {
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      others_[level] = ShuffleXor(total, 1 << level);
      total = Op()(total, others_[level]);
    }
    return total;
  }

  // `prefix`: what precedes the first lane. Returns what precedes this lane's
  // node.
  __device__ __forceinline__ T Down(T prefix) const {
#pragma unroll
    for (int level = kLevels - 1; level >= 0; --level) {
      if ((LaneId() >> level & 1) != 0) prefix = Op()(prefix, others_[level]);
    }
    return prefix;
  }

 private:
  static constexpr int kLevels = 5;

  // By level: the total of the other half of the node that this lane is in.
  T others_[kLevels];
};

template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T NodeTotal(const Vector<T>& vector) {
  if constexpr (Vector<T>::kLanes == 2) {
    return Op()(vector.lane(0), vector.lane(1));
  } else {
    static_assert(Vector<T>::kLanes == 4);
    return Op()(Op()(vector.lane(0), vector.lane(1)),
                Op()(vector.lane(2), vector.lane(3)));
  }
}

template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ Vector<T> ScanNode(const Vector<T>& vector, T prefix,
                                              bool inclusive) {
  constexpr int kLanes = Vector<T>::kLanes;
  T before[kLanes];
  before[0] = prefix;
  before[1] = Op()(prefix, vector.lane(0));
  if constexpr (kLanes == 4) {
    before[2] = Op()(prefix, Op()(vector.lane(0), vector.lane(1)));
    before[3] = Op()(before[2], vector.lane(2));
  }
  Vector<T> result{};
#pragma unroll
  for (int k = 0; k < kLanes; ++k) {
    result.set_lane(k, CanonicalNan(inclusive ? Op()(before[k], vector.lane(k))
                                              : before[k]));
  }
  return result;
}

// What the tiles of one launch tell each other: each its total, and the last of
// 32 tiles, a group, the largest node that ends with the group.
struct Statuses {
  StatusWord* tiles;
  StatusWord* groups;
};

// Tells the total of the tile and returns what precedes it. A whole warp calls
// it; every lane gets the result.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T PrefixOfTile(TileTicket ticket, T total,
                                          Statuses statuses) {
  const StatusFlag<T> flag = StatusFlag<T>{ticket.epoch} << 2 | 1;
  const int lane = LaneId();
  const int member = static_cast<int>(ticket.tile % kWarpSize);
  const uint32_t group = ticket.tile / kWarpSize;
  if (lane == member)
    statuses.tiles[ticket.tile].Store(TileStatus<T>{flag, total});

  // Lane k watches tile k of the group, if it precedes this one, and of what
  // precedes the group the node of 2^k groups, if there is one.
  // What has been seen is not asked for again: the polling is in the way of the
  // publishing, and took a fifth of the time.
  const StatusFlag<T> unseen = 0;
  TileStatus<T> tile{lane < member ? unseen : flag,
                     lane == member ? total : Op::Identity()};
  TileStatus<T> node{(group >> lane & 1) != 0 ? unseen : flag, Op::Identity()};
  do {
    if (tile.flag != flag) {
      tile = statuses.tiles[ticket.tile - member + lane].Load<T>();
    }
    if (node.flag != flag) {
      node = statuses.groups[(group >> lane << lane) - 1].Load<T>();
    }
  } while (__any_sync(kWholeWarp, tile.flag != flag || node.flag != flag));

  LaneSweep<Op> sweep;
  T group_total = sweep.Up(tile.value);
  if (member == kWarpSize - 1) {
    // The nodes of the low bits that are set end where the group begins: with
    // the group they make up the node that ends with it.
    for (int k = 0; (group >> k & 1) != 0; ++k) {
      group_total = Op()(ShuffleFrom(node.value, k), group_total);
    }
    if (lane == 0) {
      statuses.groups[group].Store(TileStatus<T>{flag, group_total});
    }
  }
  T prefix = Op::Empty();
  for (uint32_t bits = group; bits != 0;) {
    const int k = 31 - __clz(static_cast<int>(bits));
    prefix = Op()(prefix, ShuffleFrom(node.value, k));
    bits ^= 1u << k;
  }
  return ShuffleFrom(sweep.Down(prefix), member);
}

template <typename Op, typename P, typename T = typename Op::Element>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanTilesInFixedOrder(Span<const T> in, Span<T> out, bool inclusive,
                          uint32_t tiles, unsigned long long* counter,
                          Statuses statuses) {
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  // First the totals of the warps, then what precedes them.
  __shared__ T warps[P::kWarps];

  if (threadIdx.x == 0) ticket = DrawTile(counter, tiles);
  __syncthreads();
  const int slot = P::Slot();
  Vector<T>* const slots = reinterpret_cast<Vector<T>*>(tile_memory) + slot;
  FetchTile<Op, P>(in, ticket.tile, slot, slots);
  WaitForCopies();

  // The totals of the steps, in all lanes, and of the nodes that they make up:
  // node i of 2^level steps at [level][i].
  constexpr int kLevels = P::kVectors == 4 ? 3 : P::kVectors == 8 ? 4 : 5;
  static_assert(1 << (kLevels - 1) == P::kVectors);
  T nodes[kLevels][P::kVectors];
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    nodes[0][i] = LaneSweep<Op>().Up(NodeTotal<Op>(slots[i * kWarpSize]));
  }
#pragma unroll
  for (int level = 1; level < kLevels; ++level) {
#pragma unroll
    for (int i = 0; i < P::kVectors >> level; ++i) {
      nodes[level][i] =
          Op()(nodes[level - 1][2 * i], nodes[level - 1][2 * i + 1]);
    }
  }
  if (LaneId() == 0) warps[WarpId()] = nodes[kLevels - 1][0];
  __syncthreads();
  if (WarpId() == 0) {
    LaneSweep<Op> sweep;
    const T total =
        sweep.Up(LaneId() < P::kWarps ? warps[LaneId()] : Op::Identity());
    const T before = sweep.Down(PrefixOfTile<Op>(ticket, total, statuses));
    if (LaneId() < P::kWarps) warps[LaneId()] = before;
  }
  __syncthreads();

  const int64_t tile_first = ticket.tile * P::template kTileElements<T>;
  const int64_t first = tile_first + slot * Vector<T>::kLanes;
  const bool whole = out.HoldsVectors(tile_first, P::template kTileElements<T>);
  // What precedes each step.
  T steps[P::kVectors];
  steps[0] = warps[WarpId()];
#pragma unroll
  for (int level = kLevels - 2; level >= 0; --level) {
#pragma unroll
    for (int i = 0; i < P::kVectors; i += 2 << level) {
      steps[i + (1 << level)] = Op()(steps[i], nodes[level][i >> level]);
    }
  }
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    const Vector<T> vector = slots[i * kWarpSize];
    // Once more, because there are no registers to keep all of it in.
    LaneSweep<Op> sweep;
    sweep.Up(NodeTotal<Op>(vector));
    const Vector<T> scanned =
        ScanNode<Op>(vector, sweep.Down(steps[i]), inclusive);
    if (whole) {
      StoreVector(out, first + i * ElementsOfStep<T>(), scanned);
    } else {
      slots[i * kWarpSize] = scanned;
    }
  }
  if (!whole) StoreSlots<P>(out, first, slots);
}

class ScanFixedOrder : public ScanOnCuda<ScanFixedOrder> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    if constexpr (!kOrderMatters<Op>) {
      return any_order_->Run(in, out, options);
    } else {
      // Beside the tile, a block has some bytes of its own.
      return backend()->max_shared_memory_per_block() >
                     LargeTiles::kTileBytes + 1024
                 ? LaunchTiles<Op, LargeTiles>(in, out, options)
                 : LaunchTiles<Op, SmallTiles>(in, out, options);
    }
  }

 private:
  template <typename Op, typename P>
  absl::Status LaunchTiles(ConstArrayView in, ArrayView out,
                           const Options& options) {
    using T = typename Op::Element;
    constexpr int64_t kTile = P::template kTileElements<T>;
    const int64_t tiles = DivideUp(in.size(), kTile);
    const int64_t groups = tiles / kWarpSize;
    absl::Status status = words_.Prepare<StatusWord>(tiles + groups);
    if (!status.ok()) return status;
    auto* const words = words_.words<StatusWord>();
    return Queue(ScanTilesInFixedOrder<Op, P>,
                 {tiles, P::kThreads, P::kTileBytes},
                 ShiftedSpan(in.data<T>(), in.size(), 0),
                 ShiftedSpan(out.data<T>(), out.size(), 0),
                 options.kind == Kind::kInclusive, static_cast<uint32_t>(tiles),
                 words_.counter(), Statuses{words, words + tiles});
  }

  // The default, for all whose results do not depend on the order.
  std::unique_ptr<Scan> any_order_ = *Registry<Scan>::Get().Create(backend());
  TileWords words_{backend()};
};

const bool kRegistered = RegisterOnCuda<ScanFixedOrder>(
    "fixed_order", /*rank=*/4,
    "floats in the order of the definition: one pass that hands on nodes",
    ScanContract(Determinism::kBitwiseAcrossBackends, kOrderOfDefinition)
        .Boundaries({LargeTiles::kTileElements<double>,
                     LargeTiles::kTileElements<float>,
                     (kWarpSize * LargeTiles::kTileElements<double>)})
        .Keeps(kKeepsTileWords)
        .Notes("runs the default where the order does not matter: integers, "
               "min, max; fastest at addresses divisible by 16"));

}  // namespace
}  // namespace concord::scan
