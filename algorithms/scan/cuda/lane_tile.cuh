// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A tile of a scan in shared memory of which each thread has neighbouring
// vectors, so that a warp sweeps over its lanes once for a tile. Memory is read
// and written in rows of a warp's, a vector for each lane.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_LANE_TILE_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_LANE_TILE_CUH_

#include <cstdint>

#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// Eight vectors for each of a block's threads; so many blocks share a
// multiprocessor.
template <int kThreadsOfBlock, int kBlocksOfProcessor>
struct LaneTilePolicy {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kVectors = 8;
  static constexpr int kTileBytes = kThreads * kVectors * kVectorBytes;

  template <typename T>
  static constexpr int64_t kTileElements = kTileBytes / sizeof(T);
};

template <typename T, typename P>
class LaneTile {
 public:
  __device__ LaneTile(void* memory, uint32_t tile)
      : vectors_(static_cast<Vector<T>*>(memory)),
        first_(tile * P::template kTileElements<T>) {}

  // Vector k of the calling thread's.
  __device__ __forceinline__ Vector<T>& OfThread(int k) const {
    return At(static_cast<int>(threadIdx.x) * P::kVectors + k);
  }

  // Brings the warp's part; what is not there becomes `absent`. All rows are on
  // their way before the first one is put away.
  __device__ __forceinline__ void Fetch(Span<const T> in, T absent) const {
    Vector<T> rows[P::kVectors];
    if (in.HoldsVectors(first_, P::template kTileElements<T>)) {
#pragma unroll
      for (int i = 0; i < P::kVectors; ++i) rows[i] = LoadVector(in, Of(i));
    } else {
#pragma unroll
      for (int i = 0; i < P::kVectors; ++i) {
        rows[i] = in.HoldsVectors(Of(i), Vector<T>::kLanes)
                      ? LoadVector(in, Of(i))
                      : LoadElements(in, Of(i), absent);
      }
    }
#pragma unroll
    for (int i = 0; i < P::kVectors; ++i) At(InRow(i)) = rows[i];
    __syncwarp();
  }

  // Writes the warp's part.
  __device__ __forceinline__ void Write(Span<T> out) const {
    __syncwarp();
    if (out.HoldsVectors(first_, P::template kTileElements<T>)) {
#pragma unroll
      for (int i = 0; i < P::kVectors; ++i) {
        StoreVector(out, Of(i), At(InRow(i)));
      }
      return;
    }
#pragma unroll 1
    for (int i = 0; i < P::kVectors; ++i) {
      if (out.HoldsVectors(Of(i), Vector<T>::kLanes)) {
        StoreVector(out, Of(i), At(InRow(i)));
      } else {
        StoreElements(out, Of(i), At(InRow(i)));
      }
    }
  }

 private:
  // The number in the tile of the lane's vector in row `i`.
  __device__ static int InRow(int i) {
    return (WarpId() * P::kVectors + i) * kWarpSize + LaneId();
  }
  // The element that it begins with.
  __device__ int64_t Of(int i) const {
    return first_ + InRow(i) * Vector<T>::kLanes;
  }
  // Eight lanes reach all banks, whether they have neighbouring vectors or each
  // one the first of its own eight.
  __device__ __forceinline__ Vector<T>& At(int vector) const {
    static_assert(P::kVectors == 8);
    return vectors_[vector ^ (vector / P::kVectors & (P::kVectors - 1))];
  }

  Vector<T>* const vectors_;
  const int64_t first_;
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_LANE_TILE_CUH_
