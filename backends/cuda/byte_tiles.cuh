// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How threads get neighbouring bytes, for folds in which the order matters: a
// warp fetches a tile of 32 rows into shared memory by a single bulk copy, and
// each thread goes through its row. Rows are an odd number of vectors, so that
// eight threads that read a vector each of theirs do not meet in the same
// banks: no space is needed between rows, and a tile is one stretch of memory.
//
// A warp takes one tile and ends: the next block is under way at once, and no
// warp waits for another. (On an H200, 256 MiB of int8 for max_subarray took
// 66.1 us; 67.6 with two tiles after each other in the same memory, 78 with two
// tiles in turn for half as many warps, 69 to 72 with a loading warp and blocks
// that stay, 70.2 with rows of 512 bytes copied by vectors.)

#ifndef CONCORD_BACKENDS_CUDA_BYTE_TILES_CUH_
#define CONCORD_BACKENDS_CUDA_BYTE_TILES_CUH_

#include <cstdint>

#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/mbarrier.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord {

// Of a Hopper multiprocessor's 228 KiB, six blocks of 34 KiB take most.
inline constexpr int kByteTileWarps = 4;
inline constexpr int kByteTileThreads = kByteTileWarps * kWarpSize;
inline constexpr int kByteTileBlocksPerMultiprocessor = 6;

inline constexpr int kByteRowVectors = 17;
inline constexpr int kByteRowBytes = kByteRowVectors * kVectorBytes;
inline constexpr int kByteTileVectors = kWarpSize * kByteRowVectors;
inline constexpr int kByteTileBytes = kByteTileVectors * kVectorBytes;
inline constexpr int kByteTileSharedBytes = kByteTileWarps * kByteTileBytes;

// Tile 0 begins at the span's element 0, whether that is there or not.
template <typename T>
__host__ __device__ constexpr int64_t ByteTilesOf(Span<const T> in) {
  static_assert(sizeof(T) == 1);
  return (in.end + kByteTileBytes - 1) / kByteTileBytes;
}

// The tile of this warp.
__device__ __forceinline__ int64_t ByteTileOfWarp() {
  return int64_t{blockIdx.x} * kByteTileWarps + WarpId();
}

// Brings a tile of this warp's into shared memory, of which a block has
// kByteTileSharedBytes; a warp calls it once. Elements that are not there
// become `absent`. The row of this thread.
template <typename T>
__device__ __forceinline__ const Vector<T>* FetchByteRow(Span<const T> in,
                                                         int64_t tile,
                                                         T absent) {
  extern __shared__ uint4 tiles_of_block[];
  Vector<T>* const vectors = reinterpret_cast<Vector<T>*>(tiles_of_block) +
                             WarpId() * kByteTileVectors;
  const int64_t first = tile * kByteTileBytes;
#if __CUDA_ARCH__ >= 900
  if (in.HoldsVectors(first, kByteTileBytes)) {
    __shared__ Mbarrier arrived[kByteTileWarps];
    Mbarrier& barrier = arrived[WarpId()];
    if (LaneId() == 0) {
      barrier.Init(1);
      FenceMbarrierInit();
      barrier.ArriveExpecting(kByteTileBytes);
      BulkCopy(vectors, in.base + first, kByteTileBytes, barrier);
    }
    __syncwarp();
    barrier.Wait(0);
    return vectors + LaneId() * kByteRowVectors;
  }
#endif
  constexpr int kLanes = Vector<T>::kLanes;
#pragma unroll 1
  for (int i = LaneId(); i < kByteTileVectors; i += kWarpSize) {
    const int64_t of_vector = first + i * kLanes;
    if (in.HoldsVectors(of_vector, kLanes)) {
      CopyVectorAsync(&vectors[i], in, of_vector);
    } else {
      vectors[i] = LoadElements(in, of_vector, absent);
    }
  }
  WaitForCopies();
  __syncwarp();
  return vectors + LaneId() * kByteRowVectors;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_BYTE_TILES_CUH_
