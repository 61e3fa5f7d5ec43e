// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first kernel of max_subarray/cuda/fused on Hopper where rows have 512
// bytes, those of floats and of large arrays of words: a tensor copy (PTX:
// cp.async.bulk.tensor) brings a warp's tile of 32 rows of 512 bytes. Memory is
// read in the order in which it lies, at the speed of reading, where pieces of
// rows one after the other take a twentieth longer. And the copy swizzles the
// vectors, so that eight threads that read one each of their rows do not meet
// in the same banks.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_TENSOR_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_TENSOR_CUH_

#include <cuda.h>  // types: the driver's function is asked for by name
#include <cuda_runtime.h>

#include <cstdint>
#include <optional>

#include "concord/algorithms/max_subarray/cuda/kernel.cuh"
#include "concord/algorithms/max_subarray/cuda/lanes.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/mbarrier.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::max_subarray {

// A row is cut into lines, a tensor copy's widest swizzle; it comes line by
// line of all rows.
inline constexpr int kTensorRowBytes = kMostPiecesOfRow * kPieceBytes;
inline constexpr int kTensorLineBytes = 128;
inline constexpr int kLinesOfRow = kTensorRowBytes / kTensorLineBytes;
inline constexpr int kVectorsOfLine = kTensorLineBytes / kVectorBytes;
inline constexpr int kTensorTileBytes = kWarpSize * kTensorRowBytes;
template <typename T>
inline constexpr int64_t kTensorChunkElements = int64_t{kFoldWarps} *
                                                kTensorTileBytes / sizeof(T);

// Swizzles repeat after eight lines. Three blocks fit a multiprocessor.
inline constexpr int kSwizzleBytes = 8 * kTensorLineBytes;
inline constexpr int kTensorSharedBytes =
    kFoldWarps * kTensorTileBytes + kSwizzleBytes;
inline constexpr int kTensorBlocksPerMultiprocessor = 3;

// Has a body only in code for the GPUs that have tensor copies.
template <typename = void>
__global__ void TensorProbe() {}

// The rows of an array as tensor copies see them. A copy takes 32 rows line by
// line. Where the second-level cache is asked to bring two lines at a time, an
// H200 takes 5 % longer.
class TensorRows {
 public:
  // Nothing where code or driver have no tensor copies. `base` is aligned.
  std::optional<CUtensorMap> Of(const void* base, int64_t bytes) const {
    if (encode_ == nullptr) return std::nullopt;
    const cuuint64_t sizes[] = {
        kTensorLineBytes / sizeof(uint32_t),
        static_cast<cuuint64_t>(bytes) / kTensorRowBytes, kLinesOfRow};
    const cuuint64_t strides[] = {kTensorRowBytes, kTensorLineBytes};
    const cuuint32_t box[] = {kTensorLineBytes / sizeof(uint32_t), kWarpSize,
                              kLinesOfRow};
    const cuuint32_t steps[] = {1, 1, 1};
    CUtensorMap rows;
    const CUresult result = encode_(
        &rows, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<void*>(base),
        sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) return std::nullopt;
    return rows;
  }

 private:
  using Encode = decltype(&cuTensorMapEncodeTiled);

  // The device is active.
  static Encode Find() {
    cudaFuncAttributes code;
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (TryCuda(cudaFuncGetAttributes(&code, TensorProbe<>)) &&
        code.ptxVersion >= 90 &&
        TryCuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                 &address, 12000,
                                                 cudaEnableDefault, &found)) &&
        found == cudaDriverEntryPointSuccess) {
      return reinterpret_cast<Encode>(address);
    }
    return nullptr;
  }

  const Encode encode_ = Find();
};

#if __CUDA_ARCH__ >= 900

// Starts to bring 32 rows from number `row` on to `shared`, which is a multiple
// of kSwizzleBytes.
__device__ __forceinline__ void TensorCopy(uint32_t shared,
                                           const CUtensorMap& rows, int row,
                                           Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
          shared),
      "l"(&rows), "r"(0), "r"(row), "r"(0), "r"(SharedAddress(&barrier))
      : "memory");
}

// A vector of a tile at `tile`, where the copy has put it.
template <typename T>
__device__ __forceinline__ Vector<T> VectorOfRow(uint32_t tile, int row,
                                                 int vector) {
  const int line = vector / kVectorsOfLine;
  const int turned = (vector ^ row) % kVectorsOfLine;
  Vector<T> value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]),
                 "=r"(value.word[3])
               : "r"(tile + (line * kWarpSize + row) * kTensorLineBytes +
                     turned * kVectorBytes)
               : "memory");
  return value;
}

// The sums of this thread's row of the tile that begins at element `first`,
// which is there, and a vector behind it if there is a shift: the first vector
// of a row is also the end of the row before.
template <int kShift, typename T>
__device__ __forceinline__ LaneSums<T> SumTensorRow(Span<const T> in,
                                                    int64_t first,
                                                    const CUtensorMap& rows) {
  constexpr int kVectors = kTensorRowBytes / kVectorBytes;
  constexpr int kLanes = Vector<T>::kLanes;
  extern __shared__ uint4 fold_pieces[];
  __shared__ Mbarrier arrived[kFoldWarps];
  Mbarrier& barrier = arrived[WarpId()];
  const uint32_t tiles =
      (SharedAddress(fold_pieces) + kSwizzleBytes - 1) & ~(kSwizzleBytes - 1);
  const uint32_t tile = tiles + WarpId() * kTensorTileBytes;
  if (LaneId() == 0) {
    barrier.Init(1);
    FenceMbarrierInit();
    barrier.ArriveExpecting(kTensorTileBytes);
    TensorCopy(tile, rows,
               static_cast<int>((first - kShift) / (kVectors * kLanes)),
               barrier);
  }
  Vector<T> end{};
  if (kShift > 0 && LaneId() == kWarpSize - 1) {
    end = LoadVector(in, first - kShift + kWarpSize * kVectors * kLanes);
  }
  __syncwarp();
  barrier.Wait(0);
  LaneSums<T> sums;
  sums.template AddVector<kShift, kLanes>(VectorOfRow<T>(tile, LaneId(), 0));
#pragma unroll
  for (int v = 1; v < kVectors; ++v) {
    sums.template AddVector<0, kLanes>(VectorOfRow<T>(tile, LaneId(), v));
  }
  if constexpr (kShift > 0) {
    if (LaneId() < kWarpSize - 1) end = VectorOfRow<T>(tile, LaneId() + 1, 0);
    sums.template AddVector<0, kShift>(end);
  }
  return sums;
}

// Whether a chunk, and a vector behind it if there is a shift, is all there.
template <int kShift, typename T>
__device__ __forceinline__ bool HoldsTensorChunk(Span<const T> in,
                                                 int64_t chunk) {
  return in.HoldsVectors(chunk * kTensorChunkElements<T>,
                         kTensorChunkElements<T> + RoundUpToVector<T>(kShift));
}

// The value of such a chunk, in thread 0 of the block that calls it.
template <typename Fold, int kShift, typename T>
__device__ __forceinline__ typename Fold::Value FoldTensorChunk(
    Span<const T> in, int64_t chunk, const CUtensorMap& rows) {
  using Value = typename Fold::Value;
  __shared__ Value of_warps[kFoldWarps];
  const int64_t first = kShift + chunk * kTensorChunkElements<T> +
                        WarpId() * (kTensorChunkElements<T> / kFoldWarps);
  const LaneSums<T> sums = SumTensorRow<kShift>(in, first, rows);
  const Value of_warp = CombineWholeWarp<Fold>(
      Fold::Finish(sums, chunk * kFoldThreads + threadIdx.x));
  if (LaneId() == 0) of_warps[WarpId()] = of_warp;
  __syncthreads();
  if (WarpId() > 0) return Value{};
  return CombineWarp<Fold>(of_warps[LaneId() % kFoldWarps], kFoldWarps);
}

#endif

// FindMaxSubarray for several chunks with rows of kTensorRowBytes. It waits for
// the grid before.
template <typename T, typename Sum, int kShift>
__global__ void __launch_bounds__(kFoldThreads, kTensorBlocksPerMultiprocessor)
    FindByTensor(Span<const T> in, FoldPlan plan,
                 const __grid_constant__ CUtensorMap rows,
                 Summary<Sum, uint32_t>* chunks) {
#if __CUDA_ARCH__ >= 900
  using Fold = MaxSubarrayFold<T, Sum, kShift>;
  LetNextGridStart();
  WaitForGridBefore();
  const typename Fold::Value value =
      HoldsTensorChunk<kShift>(in, blockIdx.x)
          ? FoldTensorChunk<Fold, kShift>(in, blockIdx.x, rows)
          : FoldChunk(Fold(), in, plan);
  if (threadIdx.x == 0) chunks[blockIdx.x] = value;
#endif
}

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_TENSOR_CUH_
