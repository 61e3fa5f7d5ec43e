// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of so few elements that the blocks of one cluster take a tile each:
// each writes what its tile amounts to into the shared memory of the others,
// 0.9 us sooner there on an H200 than a word in global memory.
//
// For operators that commute. Who combines what depends on the tiles' numbers
// alone, so the bits of floats repeat.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_CLUSTER_TILES_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_CLUSTER_TILES_CUH_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/scan/cuda/register_tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/cluster.cuh"
#include "concord/backends/cuda/cluster_launch.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

inline constexpr int kClusterTiles = kPortableClusterBlocks;
template <int kVectors>
inline constexpr int64_t kClusterBytes =
    kClusterTiles* FewTilesPolicy<kVectors>::kTileBytes;

// Publishes what the tile amounts to, whose warps have left their totals, and
// returns what precedes the calling warp. All threads of the cluster call it,
// and have arrived once.
template <typename Op, typename P, typename Sum = TotalOf<Op>>
__device__ __forceinline__ Sum ExchangeInCluster(const Sum* warp_totals,
                                                 Sum* tile_totals) {
  using Combine = TotalOp<Op>;
  const auto lane = static_cast<uint32_t>(LaneId());
  const auto warp = static_cast<uint32_t>(WarpId());
  const uint32_t tile = BlockOfCluster();
  // Nobody writes to a block that has not started.
  WaitForArrivals();
  if (warp == 0) {
    const Sum tile_total = WarpReduce<Combine>(
        lane < P::kWarps ? warp_totals[lane] : Combine::Identity());
    if (lane < BlocksOfCluster()) {
      *PointerInBlock(&tile_totals[tile], lane) = tile_total;
    }
  }
  ArriveAtCluster();
  // Lane i has the total of warp i and that of tile i, if they come before.
  Sum before = lane < warp ? warp_totals[lane] : Combine::Identity();
  WaitForArrivals();
  if (lane < tile) before = Combine()(before, tile_totals[lane]);
  return Combine()(ToTotal<Op>(Op::Empty()), WarpReduce<Combine>(before));
}

// Empty in code for GPUs before Hopper, which have no clusters.
template <typename Op, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    ScanTilesOfCluster(Span<const typename Op::Element> in,
                       Span<typename Op::Element> out, bool inclusive) {
#if __CUDA_ARCH__ >= 900
  __shared__ TotalOf<Op> tile_totals[kClusterTiles];
  ArriveAtCluster();
  StartBesideGridBefore();
  ScanTile<Op, P>(in, out, inclusive, BlockOfCluster(),
                  [&](const auto* totals) {
                    return ExchangeInCluster<Op, P>(totals, tile_totals);
                  });
#endif
}

// Runs such scans on one backend. A call is one launch.
class ClusterTilesLauncher {
 public:
  explicit ClusterTilesLauncher(std::shared_ptr<CudaBackend> backend)
      : launcher_(std::move(backend)) {}

  // Whether it takes so many bytes of such elements: those of two tiles or
  // more, where there are clusters. The device is active.
  template <typename Op>
  bool Takes(int64_t bytes) {
    return bytes > FewTilesPolicy<1>::kTileBytes && bytes <= kClusterBytes<2> &&
           (bytes <= kClusterBytes<1> ? HasClusters<Op, FewTilesPolicy<1>>()
                                      : HasClusters<Op, FewTilesPolicy<2>>());
  }

  // Queues the scan on the backend's stream. `in` and `out` are aligned alike.
  // The device is active. `what` is for errors.
  template <typename Op, typename T>
  absl::Status Launch(Span<const T> in, Span<T> out, bool inclusive,
                      absl::string_view what) {
    return in.end <= kClusterTiles * FewTilesPolicy<1>::kTileElements<T>
               ? LaunchAs<Op, FewTilesPolicy<1>>(in, out, inclusive, what)
               : LaunchAs<Op, FewTilesPolicy<2>>(in, out, inclusive, what);
  }

 private:
  template <typename Op, typename P>
  bool HasClusters() {
    return launcher_.MostBlocks(ScanTilesOfCluster<Op, P>, P::kThreads, 0) >=
           kClusterTiles;
  }

  template <typename Op, typename P, typename T>
  absl::Status LaunchAs(Span<const T> in, Span<T> out, bool inclusive,
                        absl::string_view what) {
    const int64_t tiles = DivideUp(in.end, P::template kTileElements<T>);
    return launcher_.QueueDependent(what, ScanTilesOfCluster<Op, P>,
                                    {tiles, P::kThreads}, in, out, inclusive);
  }

  ClusterLauncher launcher_;
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_CLUSTER_TILES_CUH_
