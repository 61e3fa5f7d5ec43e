// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One ordered pass: the parallel reduction of G. E. Blelloch,
// "Prefix sums and their applications" (1990), with an operator that is
// associative but not commutative, the four sums of J. Bentley's divide and
// conquer ("Programming pearls: algorithm design techniques", CACM 27(9),
// 1984). max_subarray_cuda_kernel.cuh says how.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "algorithms/max_subarray/max_subarray.h"
#include "algorithms/max_subarray/max_subarray_cuda_kernel.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/scratch.cuh"
#include "backends/cuda/vector.cuh"
#include "core/registry.h"

namespace concord {
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
    const FoldPlan plan =
        PlanFold<T>(span.end, backend_->multiprocessors(),
                    std::is_floating_point_v<T> ? kLeafPieces : 0, kShift);
    using Value = Summary<Sum, uint32_t>;
    absl::Status status =
        values_.Reserve(plan.values * static_cast<int64_t>(sizeof(Value)));
    status.Update(arrivals_.Reserve(plan.groups *
                                    static_cast<int64_t>(sizeof(unsigned))));
    if (!status.ok()) return status;
    auto* const values = reinterpret_cast<Value*>(values_.data());
    const auto find = FindMaxSubarray<T, Sum, kShift>;
    status = CudaStatus(
        cudaFuncSetAttribute(find, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kFoldSharedBytes),
        kWhere);
    if (!status.ok()) return status;
    find<<<static_cast<unsigned>(plan.chunks), kFoldThreads, kFoldSharedBytes,
           backend_->stream()>>>(span, plan, values, sum_of_run, bounds);
    status = LaunchStatus(kWhere);
    if (!status.ok() || plan.chunks == 1) return status;
    return CudaStatus(
        LaunchCombining(CombineMaxSubarrays<T, Sum>, plan, backend_->stream(),
                        span, plan, values,
                        reinterpret_cast<unsigned*>(arrivals_.data()),
                        sum_of_run, bounds),
        kWhere);
  }

  std::shared_ptr<CudaBackend> backend_;
  Scratch values_;
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
  for (const int64_t size : {1, 4, 8}) {
    contract.boundaries.push_back(MaxSubarray::kLeafBytes / size);
    contract.boundaries.push_back(kPieceBytes / size);
    contract.boundaries.push_back(kWarpSize * kPieceBytes / size);
    contract.boundaries.push_back(kMostChunkBytes / size);
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
}  // namespace concord
