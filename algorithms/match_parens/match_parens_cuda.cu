// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One kind: one ordered pass, the scan and the reduction of R.
// Yadav and B. Houghton, "StandardML-GPU" (2017), as one reduction whose
// operator is not commutative; match_parens_cuda_kernel.cuh says how. Several
// kinds: brackets of equal depth, by a stable sort;
// match_parens_cuda_kinds.cuh.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/match_parens/match_parens.h"
#include "algorithms/match_parens/match_parens_cuda_kernel.cuh"
#include "algorithms/match_parens/match_parens_cuda_kinds.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/scratch.cuh"
#include "backends/cuda/vector.cuh"
#include "core/registry.h"

namespace concord {
namespace {

constexpr char kWhere[] = "match_parens/cuda/fused";

class MatchParensCuda : public MatchParens {
 public:
  explicit MatchParensCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        kinds_(backend_),
        tiles_(backend_),
        values_(backend_),
        arrivals_(backend_) {}

  absl::Status Run(ConstArrayView in, ArrayView fault,
                   const Options& options) override {
    absl::Status status = CheckMatchParensArguments(in, fault, options,
                                                    backend_->memory(), kWhere);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    const Brackets brackets = *BracketsOf(options, in.type());
    auto* const position = fault.data<int64_t>();
    if (in.empty()) return kinds_.StoreBalanced(position);
    const Span<const uint8_t> span =
        AlignedSpan(static_cast<const uint8_t*>(in.data()), in.size());
    if (brackets.kinds > 1) {
      return kinds_.FindFault(span, brackets, position);
    }
    return Launch(span, brackets, position);
  }

 private:
  absl::Status Launch(Span<const uint8_t> in, const Brackets& brackets,
                      int64_t* position) {
    const FoldPlan plan =
        PlanFold<uint8_t>(in.end, backend_->multiprocessors());
    constexpr int64_t kBytes = sizeof(Depths);
    absl::Status status = values_.Reserve(plan.values * kBytes);
    status.Update(tiles_.Reserve(TilesOf<uint8_t>(plan, in.end) * kBytes));
    status.Update(arrivals_.Reserve(plan.groups *
                                    static_cast<int64_t>(sizeof(unsigned))));
    if (!status.ok()) return status;
    status = CudaStatus(
        cudaFuncSetAttribute(MatchOneKind,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kFoldSharedBytes),
        kWhere);
    if (!status.ok()) return status;
    const DepthFold fold{
        {brackets.open * 0x01010101u, brackets.close * 0x01010101u},
        brackets.open,
        brackets.close};
    auto* const tiles = reinterpret_cast<Depths*>(tiles_.data());
    auto* const values = reinterpret_cast<Depths*>(values_.data());
    MatchOneKind<<<static_cast<unsigned>(plan.chunks), kFoldThreads,
                   kFoldSharedBytes, backend_->stream()>>>(
        fold, in, plan, tiles, values, position);
    status = LaunchStatus(kWhere);
    if (!status.ok() || plan.chunks == 1) return status;
    return CudaStatus(
        LaunchCombining(
            CombineOneKind, plan, backend_->stream(), fold, in, plan, tiles,
            values, reinterpret_cast<unsigned*>(arrivals_.data()), position),
        kWhere);
  }

  std::shared_ptr<CudaBackend> backend_;
  KindMatcher kinds_;
  Scratch tiles_;
  Scratch values_;
  Scratch arrivals_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt8, ElementType::kUInt8};
  // Pieces, tiles of one piece and the chunks of large arrays.
  contract.boundaries = {kPieceBytes, kWarpSize * kPieceBytes, kMostChunkBytes};
  contract.notes =
      "several kinds: waits for the device once, and takes 24 bytes of memory "
      "for each bracket without a partner in its row of 256";
  return contract;
}

const bool kRegistered = Registry<MatchParens>::Get().Add(
    "cuda", "fused", /*rank=*/10,
    "one kind: one ordered pass over depths; several: a stack for each row, "
    "then a sort by depth",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<MatchParensCuda>(std::move(backend));
    });

}  // namespace
}  // namespace concord
