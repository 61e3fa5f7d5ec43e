// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A scan in three levels (S. Sengupta, M. Harris, M. Garland, "Efficient
// parallel scan algorithms for GPUs", NVIDIA technical report NVR-2008-003),
// with the shuffles that came with Kepler in place of shared memory: the lanes
// of a warp, the warps of a block, the blocks of the grid. One launch reduces
// every tile to its total, one block scans the totals, and a last launch reads
// the tiles again and scans them, each after what precedes it.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {
namespace {

// A tile of 64 KiB stands in the registers of its block: large, so that the one
// block that scans the totals has few of them.
constexpr int kThreads = 512;
constexpr int kVectors = 8;
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int64_t kTileVectors = kThreads * kVectors;
constexpr int kTotalsThreads = 1024;

template <typename T>
constexpr int64_t kTileElements = kTileVectors* Vector<T>::kLanes;

// A warp's vectors stand side by side, 32 in each step.
template <typename T>
constexpr int kStepElements = kWarpSize* Vector<T>::kLanes;

template <typename T>
__device__ __forceinline__ int64_t FirstElement() {
  return blockIdx.x * kTileElements<T> +
         (WarpId() * kVectors * kWarpSize + LaneId()) * Vector<T>::kLanes;
}

template <typename T, typename AnyT>
__device__ __forceinline__ bool TileIsWhole(Span<AnyT> span) {
  return span.HoldsVectors(blockIdx.x * kTileElements<T>, kTileElements<T>);
}

template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ void LoadTile(Span<const T> in,
                                         Vector<T> (&vectors)[kVectors]) {
  const int64_t first = FirstElement<T>();
  if (TileIsWhole<T>(in)) {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      vectors[i] = LoadVector(in, first + i * kStepElements<T>);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      vectors[i] =
          LoadElements(in, first + i * kStepElements<T>, Op::Identity());
    }
  }
}

// What precedes the calling thread's warp in the block; sets `total`, in all
// threads, to that of the block. Each warp has its own in all lanes.
template <typename Op, int kWarpsOfBlock, typename T = typename Op::Element>
__device__ __forceinline__ T ScanWarps(T warp_total, T& total) {
  __shared__ T totals[kWarpsOfBlock];
  __syncthreads();  // those of the time before have been read
  if (LaneId() == 0) totals[WarpId()] = warp_total;
  __syncthreads();
  T scanned[1] = {LaneId() < kWarpsOfBlock ? totals[LaneId()] : Op::Identity()};
  WarpInclusiveScan<Op>(scanned);
  total = ShuffleFrom(scanned[0], kWarpSize - 1);
  return ShuffleFrom(ShiftIn<Op>(scanned[0]), WarpId());
}

template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    ReduceTiles(Span<const T> in, T* totals) {
  Vector<T> vectors[kVectors];
  LoadTile<Op>(in, vectors);
  T sum = Total<Op>(vectors[0]);
#pragma unroll
  for (int i = 1; i < kVectors; ++i) sum = Op()(sum, Total<Op>(vectors[i]));
  T total;
  ScanWarps<Op, kWarps>(WarpReduce<Op>(sum), total);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// One block, which turns totals into what precedes them.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTotalsThreads)
    ScanTotals(T* totals, int64_t count) {
  T before = Op::Empty();
  for (int64_t first = 0; first < count; first += kTotalsThreads) {
    const int64_t i = first + threadIdx.x;
    T scanned[1] = {i < count ? totals[i] : Op::Identity()};
    WarpInclusiveScan<Op>(scanned);
    T total;
    const T before_warp = ScanWarps<Op, kTotalsThreads / kWarpSize>(
        ShuffleFrom(scanned[0], kWarpSize - 1), total);
    const T before_lane = ShiftIn<Op>(scanned[0]);
    if (i < count) {
      totals[i] = Op()(Op()(before, before_warp), before_lane);
    }
    before = Op()(before, total);
  }
}

// `prefixes`: what precedes each tile, or null when there is only one.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    ScanTiles(Span<const T> in, Span<T> out, const T* prefixes,
              bool inclusive) {
  Vector<T> vectors[kVectors];
  LoadTile<Op>(in, vectors);
  T steps[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) steps[i] = Total<Op>(vectors[i]);
  WarpInclusiveScan<Op>(steps);
  T warp_total = ShuffleFrom(steps[0], kWarpSize - 1);
#pragma unroll
  for (int i = 1; i < kVectors; ++i) {
    warp_total = Op()(warp_total, ShuffleFrom(steps[i], kWarpSize - 1));
  }
  T total;
  const T before_warp = ScanWarps<Op, kWarps>(warp_total, total);
  T prefix = Op()(prefixes == nullptr ? Op::Empty() : prefixes[blockIdx.x],
                  before_warp);
  const bool whole = TileIsWhole<T>(out);
  const int64_t first = FirstElement<T>();
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const Vector<T> scanned = ScanVector<Op>(
        vectors[i], Op()(prefix, ShiftIn<Op>(steps[i])), inclusive);
    prefix = Op()(prefix, ShuffleFrom(steps[i], kWarpSize - 1));
    if (whole) {
      StoreVector(out, first + i * kStepElements<T>, scanned);
    } else {
      StoreElements(out, first + i * kStepElements<T>, scanned);
    }
  }
}

class ScanWarpShuffle : public ScanOnCuda<ScanWarpShuffle> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const int64_t tiles = DivideUp(in.size(), kTileElements<T>);
    absl::Status status = scratch().Reserve<T>(tiles);
    if (!status.ok()) return status;
    const auto from = ShiftedSpan(in.data<T>(), in.size(), 0);
    const auto to = ShiftedSpan(out.data<T>(), out.size(), 0);
    const LaunchShape shape = {tiles, kThreads};
    T* const totals = tiles == 1 ? nullptr : scratch().data<T>();
    if (totals != nullptr) {
      status = Queue(ReduceTiles<Op>, shape, from, totals);
      status.Update(Queue(ScanTotals<Op>, {1, kTotalsThreads}, totals, tiles));
    }
    status.Update(Queue(ScanTiles<Op>, shape, from, to, totals,
                        options.kind == Kind::kInclusive));
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<ScanWarpShuffle>(
    "warp_shuffle", /*rank=*/4,
    "shuffle scans in three levels: warp, block, grid",
    ScanContract(Determinism::kRunToRun,
                 " in an order that depends on n alone, by tiles, so that the "
                 "product of a stretch may overflow where no prefix does")
        .Boundaries({kTileElements<double>, kTileElements<float>,
                     kTileElements<int8_t>,
                     (kTileElements<double> * kTotalsThreads)})
        .Notes("fastest at addresses divisible by 16"));

}  // namespace
}  // namespace concord::scan
