// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A tile of a scan in shared memory. It is cut among the warps, and each thread
// has its slots there: kVectors vectors, 32 of them apart from one to the next,
// so that each step of a warp covers 512 bytes without a gap. Only its own
// thread uses a slot, so none has to wait for another's copy.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_TILE_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_TILE_CUH_

#include <cstdint>

#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// A tile is kThreads * kVectors vectors; kBlocks blocks share a multiprocessor.
template <int kThreadsOfBlock, int kVectorsOfThread, int kBlocksOfProcessor>
struct TilePolicy {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kVectors = kVectorsOfThread;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kTileBytes = kThreads * kVectors * kVectorBytes;

  template <typename T>
  static constexpr int64_t kTileElements = kTileBytes / sizeof(T);

  // The calling thread's first slot.
  static __device__ __forceinline__ int Slot() {
    return WarpId() * kVectors * kWarpSize + LaneId();
  }
};

template <typename T>
__host__ __device__ constexpr int ElementsOfStep() {
  return kWarpSize * Vector<T>::kLanes;
}

// Starts to bring a thread's vectors of the tile into its slots; elements that
// are not there become the identity.
template <typename Op, typename P, typename T = typename Op::Element>
__device__ __forceinline__ void FetchTile(Span<const T> in, uint32_t tile,
                                          int slot, Vector<T>* slots) {
  const int64_t tile_first = tile * P::template kTileElements<T>;
  const int64_t first = tile_first + slot * Vector<T>::kLanes;
  if (in.HoldsVectors(tile_first, P::template kTileElements<T>)) {
#pragma unroll
    for (int i = 0; i < P::kVectors; ++i) {
      CopyVectorAsync(&slots[i * kWarpSize], in,
                      first + i * ElementsOfStep<T>());
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < P::kVectors; ++i) {
      const int64_t vector_first = first + i * ElementsOfStep<T>();
      if (in.HoldsVectors(vector_first, Vector<T>::kLanes)) {
        CopyVectorAsync(&slots[i * kWarpSize], in, vector_first);
      } else if (vector_first >= in.end) {
        slots[i * kWarpSize] = Filled(Op::Identity());
      } else {
        slots[i * kWarpSize] = LoadElements(in, vector_first, Op::Identity());
      }
    }
  }
}

// Writes what stands in the slots of a tile that is not whole.
template <typename P, typename T>
__device__ __forceinline__ void StoreSlots(Span<T> out, int64_t first,
                                           const Vector<T>* slots) {
#pragma unroll 1
  for (int i = 0; i < P::kVectors; ++i, first += ElementsOfStep<T>()) {
    if (first >= out.end) break;
    const Vector<T> vector = slots[i * kWarpSize];
    if (out.HoldsVectors(first, Vector<T>::kLanes)) {
      StoreVector(out, first, vector);
    } else {
      StoreElements(out, first, vector);
    }
  }
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_TILE_CUH_
