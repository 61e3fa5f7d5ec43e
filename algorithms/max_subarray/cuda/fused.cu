// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One ordered pass: the parallel reduction of G. E. Blelloch, "Prefix sums and
// their applications" (1990), with an operator that is associative but not
// commutative, the four sums of J. Bentley's divide and conquer ("Programming
// pearls: algorithm design techniques", CACM 27(9), 1984). kernel.cuh says how,
// bytes.cuh for bytes.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/cuda/bytes.cuh"
#include "concord/algorithms/max_subarray/cuda/kernel.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/registry.h"

namespace concord::max_subarray {
namespace {

// Pieces of a leaf of floats.
constexpr int kLeafPieces = MaxSubarray::kLeafBytes / kPieceBytes;
static_assert(kLeafPieces * kPieceBytes == MaxSubarray::kLeafBytes);

constexpr char kWhere[] = "max_subarray/cuda/fused";

class MaxSubarrayCuda : public MaxSubarray {
 public:
  explicit MaxSubarrayCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        values_(backend_),
        groups_(backend_),
        arrivals_(backend_) {}

  absl::Status Run(ConstArrayView in, ArrayView sum, ArrayView run,
                   const Options&) override {
    absl::Status status =
        CheckMaxSubarrayArguments(in, sum, run, backend_->memory(), kWhere);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    return Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        constexpr int kLanes = Vector<T>::kLanes;
        switch (ElementsPastBoundary(in.data<T>())) {
          case 1:
            return Launch<T, 1>(in, sum, run);
          case 2:
            return Launch<T, 2 % kLanes>(in, sum, run);
          case 3:
            return Launch<T, 3 % kLanes>(in, sum, run);
        }
      }
      return Launch<T, 0>(in, sum, run);
    });
  }

 private:
  // kShift: how far the first leaf of floats is from a vector's beginning.
  template <typename T, int kShift>
  absl::Status Launch(ConstArrayView in, ArrayView sum, ArrayView run) {
    using Sum = SumOf<T>;
    auto* const sum_of_run = sum.data<Sum>();
    auto* const bounds = run.data<int64_t>();
    if (in.empty()) {
      StoreEmpty<<<1, 1, 0, backend_->stream()>>>(sum_of_run, bounds);
      return LaunchStatus(kWhere);
    }
    const Span<const T> span = AlignedSpan(in.data<T>(), in.size());
    if constexpr (sizeof(T) == 1) {
      return LaunchBytes(span, sum_of_run, bounds);
    } else {
      return LaunchFold<T, kShift>(span, sum_of_run, bounds);
    }
  }

  template <typename T>
  absl::Status LaunchBytes(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    const int64_t tiles = TilesOf(in);
    const int64_t members = (tiles + kTilesOfThread - 1) / kTilesOfThread;
    absl::Status status = Reserve<ByteSums<T>, Sum>(tiles, members);
    if (!status.ok()) return status;
    auto* const sums = reinterpret_cast<ByteSums<T>*>(values_.data());
    status = CudaStatus(
        cudaFuncSetAttribute(SumByteTiles<T>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kTileSharedBytes),
        kWhere);
    if (!status.ok()) return status;
    const int64_t blocks = (tiles + kTileWarps - 1) / kTileWarps;
    status = CudaStatus(
        LaunchDependent(SumByteTiles<T>, static_cast<unsigned>(blocks),
                        kTileThreads, kTileSharedBytes, backend_->stream(), in,
                        sums),
        kWhere);
    if (!status.ok()) return status;
    return CudaStatus(
        LaunchDependent(CombineByteTiles<T, Sum>,
                        static_cast<unsigned>(FoldGroups(members)),
                        kFoldThreads, 0, backend_->stream(), in, sums,
                        Groups<Sum>(), Arrivals(), sum, run),
        kWhere);
  }

  template <typename T, int kShift>
  absl::Status LaunchFold(Span<const T> in, SumOf<T>* sum, int64_t* run) {
    using Sum = SumOf<T>;
    using Value = Summary<Sum, uint32_t>;
    const FoldPlan plan =
        PlanFold<T>(in.end, backend_->multiprocessors(),
                    std::is_floating_point_v<T> ? kLeafPieces : 0, kShift);
    absl::Status status = Reserve<Value, Sum>(plan.chunks, plan.chunks);
    if (!status.ok()) return status;
    auto* const chunks = reinterpret_cast<Value*>(values_.data());
    const auto find = FindMaxSubarray<T, Sum, kShift>;
    status = CudaStatus(
        cudaFuncSetAttribute(find, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kFoldSharedBytes),
        kWhere);
    if (!status.ok()) return status;
    find<<<static_cast<unsigned>(plan.chunks), kFoldThreads, kFoldSharedBytes,
           backend_->stream()>>>(in, plan, chunks, sum, run);
    status = LaunchStatus(kWhere);
    if (!status.ok() || plan.chunks == 1) return status;
    return CudaStatus(
        LaunchDependent(CombineMaxSubarrays<T, Sum>,
                        static_cast<unsigned>(FoldGroups(plan.chunks)),
                        kFoldThreads, 0, backend_->stream(), in, plan, chunks,
                        Groups<Sum>(), Arrivals(), sum, run),
        kWhere);
  }

  // Room for that many values, and for combining so many of them in groups.
  template <typename Value, typename Sum>
  absl::Status Reserve(int64_t values, int64_t members) {
    const int64_t groups = AllFoldGroups(members);
    constexpr int64_t kGroupBytes = sizeof(Summary<Sum, uint32_t>);
    constexpr int64_t kValueBytes = sizeof(Value);
    constexpr int64_t kArrivalBytes = sizeof(unsigned);
    absl::Status status = values_.Reserve(values * kValueBytes);
    status.Update(groups_.Reserve(groups * kGroupBytes));
    status.Update(arrivals_.Reserve(groups * kArrivalBytes));
    return status;
  }
  template <typename Sum>
  Summary<Sum, uint32_t>* Groups() const {
    return reinterpret_cast<Summary<Sum, uint32_t>*>(groups_.data());
  }
  unsigned* Arrivals() const {
    return reinterpret_cast<unsigned*>(arrivals_.data());
  }

  std::shared_ptr<CudaBackend> backend_;
  Scratch values_;
  Scratch groups_;
  Scratch arrivals_;
};

Contract MakeContract() {
  Contract contract;
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.special_values =
      "a NaN, or infinities of both signs: NaN, and the run is the whole input";
  // 2^40 bytes of 8-byte elements: the numbers of leaves have 32 bits.
  contract.max_size = int64_t{1} << 37;
  // Leaves and pieces, tiles of one piece and the chunks of large arrays.
  for (const int64_t size : {4, 8}) {
    contract.boundaries.push_back(MaxSubarray::kLeafBytes / size);
    contract.boundaries.push_back(kPieceBytes / size);
    contract.boundaries.push_back(kWarpSize * kPieceBytes / size);
    contract.boundaries.push_back(kMostChunkBytes / size);
  }
  // Of bytes: rows, tiles, those of a block, and the groups of the second
  // kernel.
  for (const int64_t bytes : {kRowBytes, kTileBytes, kTileSharedBytes,
                              kFoldThreads * kTilesOfThread * kTileBytes}) {
    contract.boundaries.push_back(bytes);
  }
  contract.notes =
      "with 64-bit integers the sum of every run has to fit 64 bits";
  return contract;
}

const bool kRegistered = Registry<MaxSubarray>::Get().Add(
    "cuda", "fused", /*rank=*/10,
    "one ordered pass; a leaf for each thread, combined in pairs of neighbours",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<MaxSubarrayCuda>(std::move(backend));
    });

}  // namespace
}  // namespace concord::max_subarray
