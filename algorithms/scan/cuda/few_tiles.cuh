// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of few elements, of which latency is all that counts: that of the
// launch, of the tiles' loads and stores, and of one exchange. All tiles are
// under way at once. A block scans one in its registers, or, where it is large,
// in shared memory. It publishes what the tile amounts to, once, and its
// threads read what the tiles before it do, a tile each: there is no chain of
// prefixes, as in the look-back of D. Merrill and M. Garland ("Single-pass
// parallel prefix scan with decoupled look-back", NVIDIA technical report
// NVR-2016-002). Launches overlap: while the results of a scan are written, the
// blocks of the next one start and draw their tiles.
//
// For operators that commute, because threads combine the tiles that they have
// read, wherever those are. Who reads which tile depends on their numbers
// alone, so the bits of floats repeat.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_FEW_TILES_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_FEW_TILES_CUH_

#include <cstdint>

#include "concord/algorithms/scan/cuda/tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// Up to one small tile for each multiprocessor of an H100 or H200; then as many
// that are larger; then two for each.
template <int kVectors>
using FewTilesPolicy = TilePolicy</*threads=*/512, kVectors, /*blocks=*/2>;
inline constexpr int64_t kFewTiles = 132;
template <int kVectors>
inline constexpr int64_t kFewTilesBytes =
    kFewTiles* FewTilesPolicy<kVectors>::kTileBytes;
inline constexpr int64_t kMostBytesInRegisters = 2 * kFewTilesBytes<4>;

// Then two that are too large for registers: 2 * 64 KiB of a Hopper
// multiprocessor's 228 KiB.
using StagedTilesPolicy =
    TilePolicy</*threads=*/512, /*vectors=*/8, /*blocks=*/2>;
inline constexpr int64_t kMostBytesOfStagedTiles =
    StagedTilesPolicy::kBlocks * kFewTiles * StagedTilesPolicy::kTileBytes;

// A vector of which the span may have some elements. Not inlined: an array has
// no more than two such vectors, and the code is long.
template <typename T>
__device__ __noinline__ Vector<T> LoadSomeElements(Span<const T> span,
                                                   int64_t first, T absent) {
  return LoadElements(span, first, absent);
}
template <typename T>
__device__ __noinline__ void StoreSomeElements(Span<T> span, int64_t first,
                                               Vector<T> vector) {
  StoreElements(span, first, vector);
}

// The vector at element `first`, wherever that is: elements that are not there
// read as `absent` and are not written.
template <typename T>
__device__ __forceinline__ Vector<T> LoadWhatIsThere(Span<const T> span,
                                                     int64_t first, T absent) {
  if (span.HoldsVectors(first, Vector<T>::kLanes)) {
    return LoadVector(span, first);
  }
  if (first >= span.end) return Filled(absent);
  return LoadSomeElements(span, first, absent);
}
template <typename T>
__device__ __forceinline__ void StoreWhatIsThere(Span<T> span, int64_t first,
                                                 const Vector<T>& vector) {
  if (span.HoldsVectors(first, Vector<T>::kLanes)) {
    StoreVector(span, first, vector);
  } else if (first < span.end) {
    StoreSomeElements(span, first, vector);
  }
}

// Draws the block's tile while the grid before may still be running, lets the
// next grid start, and waits for the one before. That is safe for the counter
// and nothing else: no grid starts before all blocks of the one before have
// drawn, and the fence has the counter set up for the next launch by then.
__device__ __forceinline__ void DrawTileEarly(unsigned long long* counter,
                                              uint32_t tiles,
                                              TileTicket* ticket) {
  if (threadIdx.x == 0) {
    *ticket = DrawTile(counter, tiles);
    __threadfence();
  }
  __syncthreads();
  LetNextGridStart();
  WaitForGridBefore();
}

// What those tiles before `tile` amount to that the calling thread reads, of
// all threads of the block in turns.
template <typename Combine, typename P, typename Sum>
__device__ __forceinline__ Sum GatherShare(const StatusWord* words,
                                           uint32_t tile,
                                           StatusFlag<Sum> flag) {
  Sum sum = Combine::Identity();
  for (uint32_t other = threadIdx.x; other < tile; other += P::kThreads) {
    TileStatus<Sum> status;
    do {
      status = words[other].template Load<Sum>();
    } while (status.flag != flag);
    sum = Combine()(sum, status.value);
  }
  return sum;
}

// Publishes what the tile amounts to, whose warps have left their totals, and
// returns what precedes the calling warp. The whole block calls it.
template <typename Op, typename P, typename Sum = TotalOf<Op>>
__device__ __forceinline__ Sum ExchangeTotals(const Sum* warp_totals,
                                              TileTicket ticket,
                                              StatusWord* words) {
  using Combine = TotalOp<Op>;
  __shared__ Sum gathered[P::kWarps];
  // The lowest bit tells the flag from that of memory just zeroed.
  const StatusFlag<Sum> flag = StatusFlag<Sum>{ticket.epoch} << 1 | 1;
  const int lane = LaneId();
  // The last warp has the fewest tiles to read.
  if (WarpId() == P::kWarps - 1) {
    const Sum tile_total = WarpReduce<Combine>(
        lane < P::kWarps ? warp_totals[lane] : Combine::Identity());
    if (lane == 0) {
      words[ticket.tile].Store(TileStatus<Sum>{flag, tile_total});
    }
  }
  const Sum share = WarpReduce<Combine>(
      GatherShare<Combine, P, Sum>(words, ticket.tile, flag));
  if (lane == 0) gathered[WarpId()] = share;
  __syncthreads();

  // Lane i has what warp i has read, and its total if that warp comes before.
  Sum before = lane < P::kWarps ? gathered[lane] : Combine::Identity();
  if (lane < WarpId()) before = Combine()(before, warp_totals[lane]);
  return Combine()(ToTotal<Op>(Op::Empty()), WarpReduce<Combine>(before));
}

// What one block does. `in` and `out` are aligned alike.
template <typename Op, typename P, typename T = typename Op::Element>
__device__ __forceinline__ void ScanOneOfFewTiles(Span<const T> in, Span<T> out,
                                                  bool inclusive,
                                                  uint32_t tiles,
                                                  unsigned long long* counter,
                                                  StatusWord* words) {
  using Combine = TotalOp<Op>;
  using Sum = TotalOf<Op>;
  __shared__ TileTicket ticket;
  __shared__ Sum warp_totals[P::kWarps];

  DrawTileEarly(counter, tiles, &ticket);
  const int64_t first = ticket.tile * P::template kTileElements<T> +
                        P::Slot() * Vector<T>::kLanes;
  Vector<T> vectors[P::kVectors];
  Sum step_prefixes[P::kVectors];
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    vectors[i] =
        LoadWhatIsThere(in, first + i * ElementsOfStep<T>(), Op::Identity());
    step_prefixes[i] = Total<Op>(vectors[i]);
  }
  const Sum warp_total = ScanSteps<Combine>(step_prefixes);
  if (LaneId() == 0) warp_totals[WarpId()] = warp_total;
  __syncthreads();

  const Sum prefix = ExchangeTotals<Op, P>(warp_totals, ticket, words);
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    StoreWhatIsThere(
        out, first + i * ElementsOfStep<T>(),
        ScanVector<Op>(vectors[i], Combine()(prefix, step_prefixes[i]),
                       inclusive));
  }
}

// Empty in code for GPUs before Hopper, where grids do not overlap.
template <typename Op, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanFewTiles(Span<const typename Op::Element> in,
                 Span<typename Op::Element> out, bool inclusive, uint32_t tiles,
                 unsigned long long* counter, StatusWord* words) {
#if __CUDA_ARCH__ >= 900
  ScanOneOfFewTiles<Op, P>(in, out, inclusive, tiles, counter, words);
#endif
}

// The same of a tile that waits for its prefix in shared memory.
template <typename Op, typename P, typename T = typename Op::Element>
__device__ __forceinline__ void ScanStagedTile(Span<const T> in, Span<T> out,
                                               bool inclusive, uint32_t tiles,
                                               unsigned long long* counter,
                                               StatusWord* words) {
  using Combine = TotalOp<Op>;
  using Sum = TotalOf<Op>;
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  __shared__ Sum warp_totals[P::kWarps];

  DrawTileEarly(counter, tiles, &ticket);
  const int slot = P::Slot();
  Vector<T>* const slots = reinterpret_cast<Vector<T>*>(tile_memory) + slot;
  FetchTile<Op, P>(in, ticket.tile, slot, slots);
  WaitForCopies();
  Sum step_prefixes[P::kVectors];
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    step_prefixes[i] = Total<Op>(slots[i * kWarpSize]);
  }
  const Sum warp_total = ScanSteps<Combine>(step_prefixes);
  if (LaneId() == 0) warp_totals[WarpId()] = warp_total;
  __syncthreads();

  const Sum prefix = ExchangeTotals<Op, P>(warp_totals, ticket, words);
  const int64_t tile_first = ticket.tile * P::template kTileElements<T>;
  const int64_t first = tile_first + slot * Vector<T>::kLanes;
  const bool whole = out.HoldsVectors(tile_first, P::template kTileElements<T>);
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    const Vector<T> scanned = ScanVector<Op>(
        slots[i * kWarpSize], Combine()(prefix, step_prefixes[i]), inclusive);
    if (whole) {
      StoreVector(out, first + i * ElementsOfStep<T>(), scanned);
    } else {
      slots[i * kWarpSize] = scanned;
    }
  }
  if (!whole) StoreSlots<P>(out, first, slots);
}

// Empty in code for GPUs before Hopper, as ScanFewTiles is.
template <typename Op, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanStagedTiles(Span<const typename Op::Element> in,
                    Span<typename Op::Element> out, bool inclusive,
                    uint32_t tiles, unsigned long long* counter,
                    StatusWord* words) {
#if __CUDA_ARCH__ >= 900
  ScanStagedTile<Op, P>(in, out, inclusive, tiles, counter, words);
#endif
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_FEW_TILES_CUH_
