// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// max_subarray on several GPUs: the ordered fold of cuda/fused, in which each
// member takes the chunks (of bytes: the tiles) that lie with it. What they
// come to goes to member 0's memory by their numbers, where cuda/fused's second
// kernel combines them. The tree over the leaves depends on indices alone, so
// which member has which chunk changes no bit.

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "concord/algorithms/max_subarray/cuda/bytes.cuh"
#include "concord/algorithms/max_subarray/cuda/kernel.cuh"
#include "concord/algorithms/max_subarray/cuda/tensor.cuh"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/gpus/uneven_share.h"
#include "concord/core/errors.h"

namespace concord::max_subarray {
namespace {

// Pieces of a leaf of floats.
constexpr int kLeafPieces = MaxSubarray::kLeafBytes / kPieceBytes;
static_assert(kLeafPieces * kPieceBytes == MaxSubarray::kLeafBytes);

// Chunks divide a stripe; what a block takes of bytes does not.
static_assert(kGranuleBytes % kMostChunkBytes == 0);
using ByteShare = UnevenShare<kByteTileSharedBytes>;

template <typename T>
constexpr std::int64_t ChunkBytes(const FoldPlan& plan) {
  return kFoldThreads * RowElements<T>(plan) *
         static_cast<std::int64_t>(sizeof(T));
}

// The fold of an array from one of its rows on: rows keep their numbers.
template <typename T, typename Sum, int kShift>
struct FoldFromRow : MaxSubarrayFold<T, Sum, kShift> {
  using Base = MaxSubarrayFold<T, Sum, kShift>;

  int64_t first_row;

  __device__ typename Base::Value Finish(const typename Base::State& sums,
                                         int64_t row) const {
    return Base::Finish(sums, first_row + row);
  }
};

// Any chunk. A block folds the chunk of its own number, so it sees the array
// from as many elements on as its chunk is ahead.
template <typename T, typename Sum, int kShift>
__device__ __forceinline__ Summary<Sum, uint32_t> FoldAnyChunk(
    Span<const T> in, const FoldPlan& plan, uint32_t chunk) {
  const int64_t rows_ahead = int64_t{chunk - blockIdx.x} * kFoldThreads;
  const int64_t ahead = rows_ahead * RowElements<T>(plan);
  FoldFromRow<T, Sum, kShift> fold;
  fold.first_row = rows_ahead;
  const Span<const T> rest = {in.base + ahead, in.begin - ahead,
                              in.end - ahead};
  return FoldChunk(fold, rest, plan);
}

// One block for each chunk of the share.
template <typename T, typename Sum, int kShift>
__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    FoldShare(Span<const T> in, FoldPlan plan,
              const __grid_constant__ Share share,
              Summary<Sum, uint32_t>* chunks) {
  const uint32_t chunk = share(blockIdx.x);
  const Summary<Sum, uint32_t> value =
      FoldAnyChunk<T, Sum, kShift>(in, plan, chunk);
  if (threadIdx.x == 0) chunks[chunk] = value;
}

// The same where tensor copies bring rows of kTensorRowBytes.
template <typename T, typename Sum, int kShift>
__global__ void __launch_bounds__(kFoldThreads, kTensorBlocksPerMultiprocessor)
    FoldShareByTensor(Span<const T> in, FoldPlan plan,
                      const __grid_constant__ Share share,
                      const __grid_constant__ CUtensorMap rows,
                      Summary<Sum, uint32_t>* chunks) {
#if __CUDA_ARCH__ >= 900
  using Fold = MaxSubarrayFold<T, Sum, kShift>;
  const uint32_t chunk = share(blockIdx.x);
  const Summary<Sum, uint32_t> value =
      HoldsTensorChunk<kShift>(in, chunk)
          ? FoldTensorChunk<Fold, kShift>(in, chunk, rows)
          : FoldAnyChunk<T, Sum, kShift>(in, plan, chunk);
  if (threadIdx.x == 0) chunks[chunk] = value;
#endif
}

// One block for each place of the share, a tile for each warp.
template <typename T>
__global__ void __launch_bounds__(kByteTileThreads,
                                  kByteTileBlocksPerMultiprocessor)
    SumByteShare(Span<const T> in, const __grid_constant__ ByteShare share,
                 ByteSums<T>* tiles) {
  constexpr T kLowest = std::is_signed_v<T> ? -128 : 0;
  const int64_t tile = share(blockIdx.x) * kByteTileWarps + WarpId();
  if (tile >= ByteTilesOf(in)) return;
  const ByteSums<T> sums = CombineWholeWarp<ByteSumsFold<T>>(
      WithPlaces(SumsOfRow(FetchByteRow(in, tile, kLowest))));
  if (LaneId() == 0) tiles[tile] = sums;
}

class MaxSubarrayFused : public OnGpus<MaxSubarray> {
 public:
  using OnGpus<MaxSubarray>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                       const Options&) override {
    return Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (in.empty()) return StoreEmpty<SumOf<T>>(sum, run);
      return Launch<T>(AlignedSpan(in.data<T>(), in.size()),
                       sum.data<SumOf<T>>(), run.data<std::int64_t>());
    });
  }

 private:
  template <typename Sum>
  absl::Status StoreEmpty(ArrayView sum, ArrayView run) {
    Sum empty;
    std::int64_t bounds[2];
    StoreEmptyResult(&empty, bounds);
    RETURN_IF_ERROR(
        backend()->Copy(ConstArrayView(&empty, 1, Memory::Host()), sum));
    return backend()->Copy(ConstArrayView(bounds, 2, Memory::Host()), run);
  }

  template <typename T>
  absl::Status Launch(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    if constexpr (sizeof(T) == 1) {
      return LaunchBytes(in, sum, run);
    } else if constexpr (std::is_floating_point_v<T>) {
      // How far the first leaf is from a vector's beginning.
      constexpr int kLanes = Vector<T>::kLanes;
      switch (in.begin) {
        case 1:
          return LaunchFold<T, 1>(in, sum, run);
        case 2:
          return LaunchFold<T, 2 % kLanes>(in, sum, run);
        case 3:
          return LaunchFold<T, 3 % kLanes>(in, sum, run);
        default:
          return LaunchFold<T, 0>(in, sum, run);
      }
    } else {
      return LaunchFold<T, 0>(in, sum, run);
    }
  }

  template <typename T>
  absl::Status LaunchBytes(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    const std::int64_t tiles = ByteTilesOf(in);
    const std::int64_t combined = DivideUp(tiles, kTilesOfThread);
    RETURN_IF_ERROR((Reserve<ByteSums<T>, Sum>(tiles, combined)));
    auto* const sums = values_.data<ByteSums<T>>();
    const auto share_of = [&](const GroupPlace& place, int i) {
      return UnevenShareOf<kByteTileSharedBytes>(
          place, DivideUp(tiles, kByteTileWarps), i);
    };
    RETURN_IF_ERROR(QueueShares(
        *backend(), in.base, share_of, [&](int i, const ByteShare& share) {
          return QueueKernel(
              *backend()->member(i), name(), SumByteShare<T>,
              {share.count, kByteTileThreads, kByteTileSharedBytes}, in, share,
              sums);
        }));
    return QueueKernel(*backend()->member(0), name(), CombineByteTiles<T, Sum>,
                       {FoldGroups(combined), kFoldThreads}, in, sums,
                       groups_.data<Summary<Sum, uint32_t>>(),
                       arrivals_.data<unsigned>(), sum, run);
  }

  template <typename T, int kShift>
  absl::Status LaunchFold(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    using Value = Summary<Sum, uint32_t>;
    const FoldPlan plan =
        PlanFold<T>(in.end, backend()->members() * backend()->multiprocessors(),
                    std::is_floating_point_v<T> ? kLeafPieces : 0, kShift);
    RETURN_IF_ERROR((Reserve<Value, Sum>(plan.chunks, plan.chunks)));
    auto* const chunks = values_.data<Value>();
    RETURN_IF_ERROR(QueueShares(*backend(), in.base, ChunkBytes<T>(plan),
                                plan.chunks, [&](int i, const Share& share) {
                                  return QueueShare<T, Sum, kShift>(
                                      i, in, plan, share, chunks);
                                }));
    return QueueKernel(
        *backend()->member(0), name(), CombineMaxSubarrays<T, Sum>,
        {FoldGroups(plan.chunks), kFoldThreads}, in, plan, chunks,
        groups_.data<Value>(), arrivals_.data<unsigned>(), sum, run);
  }

  template <typename T, typename Sum, int kShift>
  absl::Status QueueShare(int index, Span<const T> in, const FoldPlan& plan,
                          const Share& share, Summary<Sum, uint32_t>* chunks) {
    const CudaBackend& member = *backend()->member(index);
    if (plan.pieces_of_row == kMostPiecesOfRow) {
      std::optional<TensorRows>& tensor_rows = tensor_rows_[index];
      if (!tensor_rows.has_value()) tensor_rows.emplace();
      const std::optional<CUtensorMap> rows =
          tensor_rows->Of(in.base, in.end * static_cast<int64_t>(sizeof(T)));
      if (rows.has_value()) {
        return QueueKernel(member, name(), FoldShareByTensor<T, Sum, kShift>,
                           {share.count, kFoldThreads, kTensorSharedBytes}, in,
                           plan, share, *rows, chunks);
      }
    }
    return QueueKernel(member, name(), FoldShare<T, Sum, kShift>,
                       {share.count, kFoldThreads, kFoldSharedBytes}, in, plan,
                       share, chunks);
  }

  // Room for that many values, and for combining so many of them in groups.
  template <typename Value, typename Sum>
  absl::Status Reserve(std::int64_t values, std::int64_t combined) {
    const std::int64_t groups = AllFoldGroups(combined);
    RETURN_IF_ERROR(values_.Reserve<Value>(values));
    RETURN_IF_ERROR(groups_.Reserve<Summary<Sum, uint32_t>>(groups));
    return arrivals_.Reserve<unsigned>(groups);
  }

  // Of each member, whose device is active when it is made.
  std::vector<std::optional<TensorRows>> tensor_rows_{
      static_cast<std::size_t>(backend()->members())};
  // All in the first member's memory.
  Scratch values_{backend()->member(0)};
  Scratch groups_{backend()->member(0)};
  Scratch arrivals_{backend()->member(0)};
};

const bool kRegistered = RegisterOnGpus<MaxSubarrayFused>(
    "fused", /*rank=*/10,
    "each member the chunks that lie with it, combined by the first",
    Contract()
        .SpecialValues("a NaN, or infinities of both signs: NaN, and the run "
                       "is the whole input")
        // 2^40 bytes of 8-byte elements: the numbers of leaves have 32 bits.
        .AtMost(std::int64_t{1} << 37)
        .Boundaries({MaxSubarray::kLeafBytes, kPieceBytes,
                     (kWarpSize * kPieceBytes), kMostChunkBytes},
                    {4, 8})
        .Boundaries({kByteRowBytes, kByteTileBytes, kByteTileSharedBytes,
                     (kFoldThreads * kTilesOfThread * kByteTileBytes)})
        .Boundaries(StripeBoundaries())
        .Keeps("a value for each chunk, in the first member's memory, and "
               "counters of blocks, which each call leaves at zero")
        .Notes("with 64-bit integers the sum of every run has to fit 64 bits; "
               "the same bits for any number of members and both layouts"));

}  // namespace
}  // namespace concord::max_subarray
