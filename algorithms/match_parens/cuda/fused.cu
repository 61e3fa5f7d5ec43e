// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One kind: one ordered pass, the scan and the reduction of R. Yadav and B.
// Houghton, "StandardML-GPU" (2017), as one reduction whose operator is not
// commutative; kernel.cuh says how. Several kinds: brackets of equal depth, by
// a stable sort; kinds.cuh.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/cuda/kernel.cuh"
#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

constexpr char kWhere[] = "match_parens/cuda/fused";

class MatchParensCuda : public MatchParens {
 public:
  explicit MatchParensCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        kinds_(backend_),
        tiles_(backend_) {}

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
    const int64_t tiles = TilesOf(in);
    absl::Status status = tiles_.Reserve(PackedBytes(tiles));
    if (!status.ok()) return status;
    status = CudaStatus(
        cudaFuncSetAttribute(SumDepthsOfTiles,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kTileSharedBytes),
        kWhere);
    if (!status.ok()) return status;
    const BracketKind kind(brackets.open, brackets.close);
    auto* const packed = reinterpret_cast<uint32_t*>(tiles_.data());
    const int64_t blocks = (tiles + kTileWarps - 1) / kTileWarps;
    status = CudaStatus(
        LaunchDependent(SumDepthsOfTiles, static_cast<unsigned>(blocks),
                        kTileThreads, kTileSharedBytes, backend_->stream(),
                        kind, in, packed),
        kWhere);
    if (!status.ok()) return status;
    return CudaStatus(
        LaunchDependent(NeedsManyVectors(tiles) ? FindFaultInTiles<kManyVectors>
                                                : FindFaultInTiles<1>,
                        1, kSearchThreads, 0, backend_->stream(), kind, in,
                        packed, position),
        kWhere);
  }

  std::shared_ptr<CudaBackend> backend_;
  KindMatcher kinds_;
  Scratch tiles_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt8, ElementType::kUInt8};
  // One kind: rows, tiles, those of a block. Several: rows and their tiles.
  contract.boundaries = {kRowBytes, kTileBytes, kTileSharedBytes, kPieceBytes,
                         kWarpSize * kPieceBytes};
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
}  // namespace concord::match_parens
