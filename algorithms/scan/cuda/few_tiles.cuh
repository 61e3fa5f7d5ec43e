// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of few elements, of which latency is all that counts: that of the
// launch, of the tiles' loads and stores, and of one exchange. A block scans a
// tile in its registers. It publishes what the tile amounts to, once, and its
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
#include "concord/algorithms/scan/cuda/tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
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
inline constexpr int64_t kMostBytesOfFewTiles = 2 * kFewTilesBytes<4>;

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

// Runs such scans on one backend, and keeps what they need from call to call. A
// call is one launch.
class FewTilesLauncher {
 public:
  explicit FewTilesLauncher(std::shared_ptr<CudaBackend> backend)
      : words_(backend), launcher_(std::move(backend)) {}

  // Whether it takes arrays like these. Element i has the same number in both,
  // and `in` is aligned.
  template <typename T>
  static bool Takes(Span<const T> in, Span<T> out) {
    return out.aligned() && BytesOf(in) <= kMostBytesOfFewTiles;
  }

  // Queues the scan on the backend's stream. The device is active. `what` is
  // for errors.
  template <typename Op, typename T>
  absl::Status Launch(Span<const T> in, Span<T> out, bool inclusive,
                      absl::string_view what) {
    // One block has nobody to wait for, so that a tile of its own is larger.
    const bool is_one = BytesOf(in) > FewTilesPolicy<1>::kTileBytes &&
                        BytesOf(in) <= FewTilesPolicy<2>::kTileBytes;
    if (BytesOf(in) <= kFewTilesBytes<1> && !is_one) {
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

  TileWords words_;
  DependentLauncher launcher_;
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_FEW_TILES_CUH_
