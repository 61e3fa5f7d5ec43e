// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of few elements, of which latency is all that counts: that of the
// launch, of the tiles' loads and stores, and of one exchange. A block scans a
// tile in its registers. A few exchange in a cluster (cluster_tiles.cuh); a
// block among more publishes what the tile amounts to, once, and its
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
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/scan/cuda/cluster_tiles.cuh"
#include "concord/algorithms/scan/cuda/register_tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// Up to two tiles for each multiprocessor of an H100 or H200: first small ones,
// then as many that are larger.
inline constexpr int64_t kFewTiles = 264;
template <int kVectors>
inline constexpr int64_t kFewTilesBytes =
    kFewTiles* FewTilesPolicy<kVectors>::kTileBytes;

// Draws the block's tile while the grid before may still be running, lets the
// next grid start, and waits for the one before. That is safe for the counter
// and nothing else: no grid starts before all blocks of the one before have
// drawn, and the fence has the counter set up for the next launch by then.
// Grids between, which draw nothing, wait for the one before themselves.
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

// Empty in code for GPUs before Hopper, where grids do not overlap.
template <typename Op, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanFewTiles(Span<const typename Op::Element> in,
                 Span<typename Op::Element> out, bool inclusive, uint32_t tiles,
                 unsigned long long* counter, StatusWord* words) {
#if __CUDA_ARCH__ >= 900
  __shared__ TileTicket ticket;
  DrawTileEarly(counter, tiles, &ticket);
  ScanTile<Op, P>(in, out, inclusive, ticket.tile, [&](const auto* totals) {
    return ExchangeTotals<Op, P>(totals, ticket, words);
  });
#endif
}

// Runs such scans on one backend, and keeps what they need from call to call. A
// call is one launch.
class FewTilesLauncher {
 public:
  explicit FewTilesLauncher(std::shared_ptr<CudaBackend> backend)
      : cluster_(backend), words_(backend), launcher_(std::move(backend)) {}

  // Whether it takes arrays like these. Element i has the same number in both,
  // and `in` is aligned.
  template <typename T>
  static bool Takes(Span<const T> in, Span<T> out) {
    return out.aligned() && BytesOf(in) <= kFewTilesBytes<4>;
  }

  // Queues the scan on the backend's stream. The device is active. `what` is
  // for errors.
  template <typename Op, typename T>
  absl::Status Launch(Span<const T> in, Span<T> out, bool inclusive,
                      absl::string_view what) {
    if (cluster_.Takes<Op>(BytesOf(in))) {
      return cluster_.Launch<Op>(in, out, inclusive, what);
    }
    if (BytesOf(in) <= kFewTilesBytes<1>) {
      return LaunchAs<Op, FewTilesPolicy<1>>(in, out, inclusive, what);
    }
    if (BytesOf(in) <= kFewTilesBytes<2>) {
      return LaunchAs<Op, FewTilesPolicy<2>>(in, out, inclusive, what);
    }
    return LaunchAs<Op, FewTilesPolicy<4>>(in, out, inclusive, what);
  }

 private:
  template <typename T>
  static int64_t BytesOf(Span<const T> in) {
    return in.end * static_cast<int64_t>(sizeof(T));
  }

  template <typename Op, typename P, typename T>
  absl::Status LaunchAs(Span<const T> in, Span<T> out, bool inclusive,
                        absl::string_view what) {
    const int64_t tiles = DivideUp(in.end, P::template kTileElements<T>);
    absl::Status status = words_.Prepare<StatusWord>(tiles);
    if (!status.ok()) return status;
    return launcher_.Queue(what, ScanFewTiles<Op, P>, {tiles, P::kThreads}, in,
                           out, inclusive, static_cast<uint32_t>(tiles),
                           words_.counter(), words_.words<StatusWord>());
  }

  ClusterTilesLauncher cluster_;
  TileWords words_;
  DependentLauncher launcher_;
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_FEW_TILES_CUH_
