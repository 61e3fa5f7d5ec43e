// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One ordered pass: the parallel reduction of G. E. Blelloch, "Prefix sums and
// their applications" (1990), with an operator that is associative but not
// commutative, the four sums of J. Bentley's divide and conquer ("Programming
// pearls: algorithm design techniques", CACM 27(9), 1984). kernel.cuh says how,
// tensor.cuh for long rows on Hopper, bytes.cuh for bytes.

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "concord/algorithms/max_subarray/cuda/bytes.cuh"
#include "concord/algorithms/max_subarray/cuda/kernel.cuh"
#include "concord/algorithms/max_subarray/cuda/run.cuh"
#include "concord/algorithms/max_subarray/cuda/tensor.cuh"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::max_subarray {
namespace {

// Pieces of a leaf of floats.
constexpr int kLeafPieces = MaxSubarray::kLeafBytes / kPieceBytes;
static_assert(kLeafPieces * kPieceBytes == MaxSubarray::kLeafBytes);

class MaxSubarrayFused : public MaxSubarrayOnCuda<MaxSubarrayFused> {
 public:
  using MaxSubarrayOnCuda::MaxSubarrayOnCuda;

  template <typename T>
  absl::Status Launch(ConstArrayView in, SumOf<T>* sum, int64_t* run) {
    const Span<const T> span = AlignedSpan(in.data<T>(), in.size());
    if constexpr (sizeof(T) == 1) {
      return LaunchBytes(span, sum, run);
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        // How far the first leaf is from a vector's beginning.
        constexpr int kLanes = Vector<T>::kLanes;
        switch (span.begin) {
          case 1:
            return LaunchFold<T, 1>(span, sum, run);
          case 2:
            return LaunchFold<T, 2 % kLanes>(span, sum, run);
          case 3:
            return LaunchFold<T, 3 % kLanes>(span, sum, run);
        }
      }
      return LaunchFold<T, 0>(span, sum, run);
    }
  }

 private:
  template <typename T>
  absl::Status LaunchBytes(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    const int64_t tiles = ByteTilesOf(in);
    const int64_t members = DivideUp(tiles, kTilesOfThread);
    RETURN_IF_ERROR(Reserve<ByteSums<T>, Sum>(tiles, members));
    auto* const sums = scratch().data<ByteSums<T>>();
    RETURN_IF_ERROR(launcher_.Queue(name(), SumByteTiles<T>,
                                    {DivideUp(tiles, kByteTileWarps),
                                     kByteTileThreads, kByteTileSharedBytes},
                                    in, sums));
    return launcher_.Queue(name(), CombineByteTiles<T, Sum>,
                           {FoldGroups(members), kFoldThreads}, in, sums,
                           Groups<Sum>(), Arrivals(), sum, run);
  }

  template <typename T, int kShift>
  absl::Status LaunchFold(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    using Value = Summary<Sum, uint32_t>;
    const FoldPlan plan =
        PlanFold<T>(in.end, backend()->multiprocessors(),
                    std::is_floating_point_v<T> ? kLeafPieces : 0, kShift);
    RETURN_IF_ERROR(Reserve<Value, Sum>(plan.chunks, plan.chunks));
    auto* const chunks = scratch().data<Value>();
    RETURN_IF_ERROR((QueueFirst<T, Sum, kShift>(in, plan, chunks, sum, run)));
    if (plan.chunks == 1) return absl::OkStatus();
    return launcher_.Queue(name(), CombineMaxSubarrays<T, Sum>,
                           {FoldGroups(plan.chunks), kFoldThreads}, in, plan,
                           chunks, Groups<Sum>(), Arrivals(), sum, run);
  }

  template <typename T, typename Sum, int kShift>
  absl::Status QueueFirst(Span<const T> in, const FoldPlan& plan,
                          Summary<Sum, uint32_t>* chunks, Sum* sum,
                          int64_t* run) {
    if (plan.chunks > 1 && plan.pieces_of_row == kMostPiecesOfRow) {
      if (!tensor_rows_.has_value()) tensor_rows_.emplace();
      const std::optional<CUtensorMap> rows =
          tensor_rows_->Of(in.base, in.end * static_cast<int64_t>(sizeof(T)));
      if (rows.has_value()) {
        return launcher_.Queue(name(), FindByTensor<T, Sum, kShift>,
                               {plan.chunks, kFoldThreads, kTensorSharedBytes},
                               in, plan, *rows, chunks);
      }
    }
    return Queue(FindMaxSubarray<T, Sum, kShift>,
                 {plan.chunks, kFoldThreads, kFoldSharedBytes}, in, plan,
                 chunks, sum, run);
  }

  // Room for that many values, and for combining so many of them in groups.
  template <typename Value, typename Sum>
  absl::Status Reserve(int64_t values, int64_t members) {
    const int64_t groups = AllFoldGroups(members);
    absl::Status status = scratch().Reserve<Value>(values);
    status.Update(groups_.Reserve<Summary<Sum, uint32_t>>(groups));
    status.Update(arrivals_.Reserve<unsigned>(groups));
    return status;
  }
  template <typename Sum>
  Summary<Sum, uint32_t>* Groups() const {
    return groups_.data<Summary<Sum, uint32_t>>();
  }
  unsigned* Arrivals() const { return arrivals_.data<unsigned>(); }

  DependentLauncher launcher_{backend()};
  std::optional<TensorRows> tensor_rows_;
  Scratch groups_{backend()};
  Scratch arrivals_{backend()};
};

const bool kRegistered = RegisterOnCuda<MaxSubarrayFused>(
    "fused", /*rank=*/10,
    "one ordered pass; a leaf for each thread, combined in pairs of neighbours",
    Contract()
        .SpecialValues("a NaN, or infinities of both signs: NaN, and the run "
                       "is the whole input")
        // 2^40 bytes of 8-byte elements: the numbers of leaves have 32 bits.
        .AtMost(int64_t{1} << 37)
        // Leaves and pieces, tiles of one piece and the chunks of large arrays.
        .Boundaries({MaxSubarray::kLeafBytes, kPieceBytes,
                     (kWarpSize * kPieceBytes), kMostChunkBytes},
                    {4, 8})
        // Of bytes: rows, tiles, those of a block, and the groups of the second
        // kernel.
        .Boundaries({kByteRowBytes, kByteTileBytes, kByteTileSharedBytes,
                     (kFoldThreads * kTilesOfThread * kByteTileBytes)})
        .Keeps("counters of blocks, which each call leaves at zero")
        .Notes("with 64-bit integers the sum of every run has to fit 64 bits"));

}  // namespace
}  // namespace concord::max_subarray
