// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan in one pass over memory: each block scans one tile, and the tiles
// hand their prefixes on by decoupled look-back. What limits it is the latency
// of the look-back, about ten microseconds from the load of a tile to its
// store, whatever its size. So as many bytes as possible must be in flight:
// while a tile waits, its elements stand in shared memory, which has room for
// more of them than the registers.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/algorithms/scan/cuda/tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {
namespace {

// 4 * 54 KiB of a Hopper multiprocessor's 228 KiB are in flight. With 8-byte
// elements so many threads would run out of registers, and 3 * 56 KiB are
// faster. One tile also fits the 64 KiB of the smallest GPUs that this is for.
template <typename T>
using PolicyFor = std::conditional_t<sizeof(T) == 8, TilePolicy<448, 8, 3>,
                                     TilePolicy<384, 9, 4>>;

// Scans the totals of the warps in place and returns, to the whole of the one
// warp that calls it, the prefix of the tile.
template <typename Op, typename P, typename T = typename Op::Element>
__device__ __forceinline__ T ScanWarpTotals(T* warp_totals, TileTicket ticket,
                                            StatusWord* statuses) {
  const int lane = LaneId();
  T totals[1] = {lane < P::kWarps ? warp_totals[lane] : Op::Identity()};
  WarpInclusiveScan<Op>(totals);
  const T before = ShiftIn<Op>(totals[0]);
  if (lane < P::kWarps) warp_totals[lane] = before;
  const T tile_total = ShuffleFrom(totals[0], P::kWarps - 1);

  Lookback<T> lookback(statuses, ticket.epoch);
  T prefix = Op::Empty();
  if (ticket.tile > 0) {
    if (lane == 0) lookback.PublishAggregate(ticket.tile, tile_total);
    prefix = lookback.template ExclusivePrefix<Op>(ticket.tile);
  }
  if (lane == 0) {
    lookback.PublishPrefix(ticket.tile, Op()(prefix, tile_total));
  }
  return prefix;
}

template <typename Op, typename P, typename T = typename Op::Element>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanTiles(Span<const T> in, Span<T> out, bool inclusive, uint32_t tiles,
              unsigned long long* counter, StatusWord* statuses) {
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  __shared__ T warp_totals[P::kWarps];
  __shared__ T tile_prefix;

  if (threadIdx.x == 0) ticket = DrawTile(counter, tiles);
  __syncthreads();
  const int slot = P::Slot();
  Vector<T>* const slots = reinterpret_cast<Vector<T>*>(tile_memory) + slot;
  FetchTile<Op, P>(in, ticket.tile, slot, slots);
  WaitForCopies();

  // Each vector's total becomes that of the vectors up to it in its step.
  T step_prefixes[P::kVectors];
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    step_prefixes[i] = Total<Op>(slots[i * kWarpSize]);
  }
  WarpInclusiveScan<Op>(step_prefixes);
  if (LaneId() == kWarpSize - 1) {
    T warp_total = step_prefixes[0];
#pragma unroll
    for (int i = 1; i < P::kVectors; ++i) {
      warp_total = Op()(warp_total, step_prefixes[i]);
    }
    warp_totals[WarpId()] = warp_total;
  }
  __syncthreads();
  if (WarpId() == 0) {
    const T prefix = ScanWarpTotals<Op, P>(warp_totals, ticket, statuses);
    if (LaneId() == 0) tile_prefix = prefix;
  }
  __syncthreads();

  // Worked out from the ticket once more, so that no registers hold it over the
  // look-back.
  const int64_t tile_first = ticket.tile * P::template kTileElements<T>;
  const int64_t first = tile_first + slot * Vector<T>::kLanes;
  const bool whole = out.HoldsVectors(tile_first, P::template kTileElements<T>);
  T prefix = Op()(tile_prefix, warp_totals[WarpId()]);
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    const Vector<T> scanned =
        ScanVector<Op>(slots[i * kWarpSize],
                       Op()(prefix, ShiftIn<Op>(step_prefixes[i])), inclusive);
    prefix = Op()(prefix, ShuffleFrom(step_prefixes[i], kWarpSize - 1));
    // Keeps the compiler from starting many steps at once, for which there are
    // not enough registers: spilled ones cost more than the latency they hide.
    __syncwarp();
    if (whole) {
      StoreVector(out, first + i * ElementsOfStep<T>(), scanned);
    } else {
      slots[i * kWarpSize] = scanned;
    }
  }
  if (!whole) StoreSlots<P>(out, first, slots);
}

class ScanLookback : public ScanOnCuda<ScanLookback> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    using P = PolicyFor<T>;
    constexpr int64_t kTile = P::template kTileElements<T>;
    const int64_t shift = ElementsPastBoundary(in.data<T>());
    const int64_t tiles = DivideUp(in.size() + shift, kTile);
    absl::Status status = words_.Prepare<StatusWord>(tiles);
    if (!status.ok()) return status;
    return Queue(ScanTiles<Op, P>, {tiles, P::kThreads, P::kTileBytes},
                 ShiftedSpan(in.data<T>(), in.size(), shift),
                 ShiftedSpan(out.data<T>(), out.size(), shift),
                 options.kind == Kind::kInclusive, static_cast<uint32_t>(tiles),
                 words_.counter(), words_.words<StatusWord>());
  }

 private:
  TileWords words_{backend()};
};

const bool kRegistered = RegisterOnCuda<ScanLookback>(
    "lookback", /*rank=*/10, "one pass with decoupled look-back",
    ScanContract(Determinism::kNone, kOrderOfTiming)
        .Boundaries({PolicyFor<double>::kTileElements<double>,
                     PolicyFor<float>::kTileElements<float>,
                     PolicyFor<int8_t>::kTileElements<int8_t>})
        .Keeps(kKeepsTileWords)
        .Notes("fastest where `in` and `out` have the same address modulo 16"));

}  // namespace
}  // namespace concord::scan
