// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A tile of a scan in the registers of a block, of few elements: each thread
// has up to four vectors, and of what an array does not hold, nothing.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_REGISTER_TILE_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_REGISTER_TILE_CUH_

#include <cstdint>

#include "concord/algorithms/scan/cuda/tile.cuh"
#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// Two blocks on a multiprocessor, as the next grid's wait there for this one.
template <int kVectors>
using FewTilesPolicy = TilePolicy</*threads=*/512, kVectors, /*blocks=*/2>;

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

// Scans the block's tile. `in` and `out` are aligned alike. `exchange` gets the
// totals of the warps, which all threads see, and returns what precedes the
// calling warp.
template <typename Op, typename P, typename T, typename Exchange>
__device__ __forceinline__ void ScanTile(Span<const T> in, Span<T> out,
                                         bool inclusive, uint32_t tile,
                                         const Exchange& exchange) {
  using Combine = TotalOp<Op>;
  using Sum = TotalOf<Op>;
  __shared__ Sum warp_totals[P::kWarps];

  const int64_t first =
      tile * P::template kTileElements<T> + P::Slot() * Vector<T>::kLanes;
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

  const Sum prefix = exchange(warp_totals);
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    StoreWhatIsThere(
        out, first + i * ElementsOfStep<T>(),
        ScanVector<Op>(vectors[i], Combine()(prefix, step_prefixes[i]),
                       inclusive));
  }
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_REGISTER_TILE_CUH_
