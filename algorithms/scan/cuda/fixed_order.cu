// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The order that scan.h defines, Blelloch's (1990), in one pass over memory.
// Tiles, warps and the elements of a lane are nodes of it. As in lookback.cu
// the tiles hand on what they amount to while their elements wait in shared
// memory; but beyond 32 tiles they do so as in the tree of P. M. Fenwick ("A
// new data structure for cumulative frequency tables", 1994), in which each
// place has the largest node that ends there. What precedes a place is made of
// as many nodes as its number has bits, of which each lane of a warp watches
// one. So it does not matter which tile was when done.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "concord/algorithms/scan/cuda/lane_tile.cuh"
#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_turns.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/registry.h"
#include "concord/core/value_or_throw.h"

namespace concord::scan {
namespace {

// Everything is a power of two, so that tiles are nodes. A block has two tiles:
// 6 * 32 KiB of a Hopper multiprocessor's 228 KiB are in flight. GPUs that have
// no more than 64 KiB for a block take the small tiles.
using LargeTiles = LaneTilePolicy</*threads=*/256, /*blocks=*/3>;
using SmallTiles = LaneTilePolicy</*threads=*/128, /*blocks=*/1>;
template <typename P>
constexpr int kSharedBytes = 2 * P::kTileBytes;

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

// The nodes that a thread has of a tile.
template <typename Op, typename P>
class ThreadNodes {
 public:
  using T = typename Op::Element;
  using Tile = LaneTile<T, P>;

  // Returns what the warp's part of the tile amounts to.
  __device__ __forceinline__ T Up(const Tile& tile) {
#pragma unroll
    for (int i = 0; i < P::kVectors; ++i) {
      nodes_[0][i] = NodeTotal<Op>(tile.OfThread(i));
    }
#pragma unroll
    for (int level = 1; level < kLevels; ++level) {
#pragma unroll
      for (int i = 0; i < P::kVectors >> level; ++i) {
        nodes_[level][i] =
            Op()(nodes_[level - 1][2 * i], nodes_[level - 1][2 * i + 1]);
      }
    }
    return lanes_.Up(nodes_[kLevels - 1][0]);
  }

  // Puts the results in place of the elements. `prefix`: what precedes the
  // warp's part.
  __device__ __forceinline__ void Down(const Tile& tile, T prefix,
                                       bool inclusive) const {
    T before[P::kVectors];
    before[0] = lanes_.Down(prefix);
#pragma unroll
    for (int level = kLevels - 2; level >= 0; --level) {
#pragma unroll
      for (int i = 0; i < P::kVectors; i += 2 << level) {
        before[i + (1 << level)] = Op()(before[i], nodes_[level][i >> level]);
      }
    }
#pragma unroll
    for (int i = 0; i < P::kVectors; ++i) {
      Vector<T>& vector = tile.OfThread(i);
      vector = ScanNode<Op>(vector, before[i], inclusive);
    }
  }

 private:
  static constexpr int kLevels = 4;
  static_assert(1 << (kLevels - 1) == P::kVectors);

  // Node i of 2^level vectors at [level][i].
  T nodes_[kLevels][P::kVectors];
  LaneSweep<Op> lanes_;
};

// What the tiles of one launch tell each other: each its total, and the last of
// 32 tiles, a group, the largest node that ends with the group.
struct Statuses {
  StatusWord* tiles;
  StatusWord* groups;
};

// What lanes wait for: lane k for tile k of the ticket's group, if it precedes
// the ticket's, and for the node of 2^k groups before the group, if there is
// one and `nodes` has its bit. What is not waited for is the identity.
template <typename Op>
class AwaitedNodes {
 public:
  using T = typename Op::Element;

  __device__ __forceinline__ AwaitedNodes(TileTicket ticket, uint32_t nodes,
                                          Statuses statuses) {
    const StatusFlag<T> flag = StatusFlag<T>{ticket.epoch} << 2 | 1;
    const int lane = LaneId();
    const uint32_t group = ticket.tile / kWarpSize;
    const bool has_tile = lane < static_cast<int>(ticket.tile % kWarpSize);
    const bool has_node = ((group & nodes) >> lane & 1) != 0;
    // What has been seen is not asked for again: the polling is in the way of
    // the publishing, and took a fifth of the time.
    const StatusFlag<T> unseen = 0;
    TileStatus<T> tile{has_tile ? unseen : flag, Op::Identity()};
    TileStatus<T> node{has_node ? unseen : flag, Op::Identity()};
    do {
      if (tile.flag != flag) {
        tile = statuses.tiles[group * kWarpSize + lane].Load<T>();
      }
      if (node.flag != flag) {
        node = statuses.groups[(group >> lane << lane) - 1].Load<T>();
      }
    } while (__any_sync(kWholeWarp, tile.flag != flag || node.flag != flag));
    tile_ = tile.value;
    node_ = node.value;
  }

  // This lane's tile.
  __device__ T tile() const { return tile_; }
  // Of 2^k groups.
  __device__ __forceinline__ T NodeOf(int k) const {
    return ShuffleFrom(node_, k);
  }

 private:
  T tile_;
  T node_;
};

// Tells the total of the tile; the last one of a group tells its node, too. A
// whole warp calls it.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ void TellTile(TileTicket ticket, T total,
                                         Statuses statuses) {
  const StatusFlag<T> flag = StatusFlag<T>{ticket.epoch} << 2 | 1;
  constexpr int kLast = kWarpSize - 1;
  if (LaneId() == kLast) {
    statuses.tiles[ticket.tile].Store(TileStatus<T>{flag, total});
  }
  if (ticket.tile % kWarpSize != kLast) return;
  // The nodes of the low bits that are set end where the group begins: with the
  // group they make up the node that ends with it.
  const uint32_t group = ticket.tile / kWarpSize;
  const int low = __ffs(static_cast<int>(~group)) - 1;
  const AwaitedNodes<Op> awaited(ticket, (1u << low) - 1, statuses);
  T node = LaneSweep<Op>().Up(LaneId() == kLast ? total : awaited.tile());
  for (int k = 0; k < low; ++k) node = Op()(awaited.NodeOf(k), node);
  if (LaneId() == kLast) {
    statuses.groups[group].Store(TileStatus<T>{flag, node});
  }
}

// What precedes the tile. A whole warp calls it; every lane gets the result.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T PrefixOfTile(TileTicket ticket,
                                          Statuses statuses) {
  const AwaitedNodes<Op> awaited(ticket, ~0u, statuses);
  T prefix = Op::Empty();
  for (uint32_t bits = ticket.tile / kWarpSize; bits != 0;) {
    const int k = 31 - __clz(static_cast<int>(bits));
    prefix = Op()(prefix, awaited.NodeOf(k));
    bits ^= 1u << k;
  }
  // Nothing of the lanes from the tile's on reaches what precedes it.
  LaneSweep<Op> sweep;
  sweep.Up(awaited.tile());
  return ShuffleFrom(sweep.Down(prefix),
                     static_cast<int>(ticket.tile % kWarpSize));
}

template <typename Op, typename P, typename T = typename Op::Element>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanTilesInFixedOrder(Span<const T> in, Span<T> out, bool inclusive,
                          uint32_t tiles, unsigned long long* counter,
                          Statuses statuses) {
  extern __shared__ uint4 tile_memory[];
  // What the warps of a tile amount to, and in the end what precedes them.
  __shared__ T warps[2][P::kWarps];
  const auto tile_of = [&](TileTicket ticket, int buffer) {
    return LaneTile<T, P>(
        reinterpret_cast<char*>(tile_memory) + buffer * P::kTileBytes,
        ticket.tile);
  };
  const auto warp_of_lane = [&](int buffer) {
    return LaneId() < P::kWarps ? warps[buffer][LaneId()] : Op::Identity();
  };
  const auto begin = [&](TileTicket ticket, int buffer) {
    const LaneTile<T, P> tile = tile_of(ticket, buffer);
    tile.Fetch(in, Op::Identity());
    const T of_warp = ThreadNodes<Op, P>().Up(tile);
    if (LaneId() == 0) warps[buffer][WarpId()] = of_warp;
    __syncthreads();
    if (WarpId() != 0) return;
    TellTile<Op>(ticket, LaneSweep<Op>().Up(warp_of_lane(buffer)), statuses);
  };
  // What precedes the tile is asked for late, when it is likely to be there.
  const auto finish = [&](TileTicket ticket, int buffer) {
    const LaneTile<T, P> tile = tile_of(ticket, buffer);
    ThreadNodes<Op, P> nodes;
    nodes.Up(tile);
    if (WarpId() == 0) {
      LaneSweep<Op> sweep;
      sweep.Up(warp_of_lane(buffer));
      const T before = sweep.Down(PrefixOfTile<Op>(ticket, statuses));
      __syncwarp();
      if (LaneId() < P::kWarps) warps[buffer][LaneId()] = before;
    }
    __syncthreads();
    nodes.Down(tile, warps[buffer][WarpId()], inclusive);
    tile.Write(out);
  };
  TakeTurns(counter, tiles, begin, finish);
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
      // Beside the tiles, a block has some bytes of its own.
      return backend()->max_shared_memory_per_block() >
                     kSharedBytes<LargeTiles> + 1024
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
    const int64_t blocks = std::min<int64_t>(
        tiles, int64_t{P::kBlocks} * backend()->multiprocessors());
    return Queue(ScanTilesInFixedOrder<Op, P>,
                 {blocks, P::kThreads, kSharedBytes<P>},
                 ShiftedSpan(in.data<T>(), in.size(), 0),
                 ShiftedSpan(out.data<T>(), out.size(), 0),
                 options.kind == Kind::kInclusive, static_cast<uint32_t>(tiles),
                 words_.counter(), Statuses{words, words + tiles});
  }

  // The default, for all whose results do not depend on the order.
  std::unique_ptr<Scan> any_order_ =
      ValueOrThrow(Registry<Scan>::Get().Create(backend()));
  TileWords words_{backend()};
};

const bool kRegistered = RegisterOnCuda<ScanFixedOrder>(
    "fixed_order", /*rank=*/4,
    "floats in the order of the definition: one pass that hands on nodes",
    ScanContract(Determinism::kBitwiseAcrossBackends, kOrderOfDefinition)
        .Boundaries({LargeTiles::kTileElements<double>,
                     LargeTiles::kTileElements<float>,
                     (kWarpSize * LargeTiles::kTileElements<double>),
                     (kWarpSize * LargeTiles::kTileElements<float>)})
        .Keeps(kKeepsTileWords)
        .Notes("runs the default where the order does not matter: integers, "
               "min, max; fastest at addresses divisible by 16"));

}  // namespace
}  // namespace concord::scan
