// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One kind: one ordered pass, the scan and the reduction of R. Yadav and B.
// Houghton, "StandardML-GPU" (2017), as one reduction whose operator is not
// commutative; kernel.cuh says how. Several kinds: brackets of equal depth, by
// a stable sort; kinds.cuh.

#include <cstdint>

#include "concord/algorithms/match_parens/cuda/kernel.cuh"
#include "concord/algorithms/match_parens/cuda/run.cuh"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::match_parens {
namespace {

class MatchParensFused : public MatchParensOnCuda {
 public:
  using MatchParensOnCuda::MatchParensOnCuda;

 private:
  absl::Status MatchOneKind(Span<const uint8_t> in, const Brackets& brackets,
                            int64_t* fault) override {
    const int64_t tiles = ByteTilesOf(in);
    absl::Status status = scratch().Reserve(PackedBytes(tiles));
    if (!status.ok()) return status;
    const BracketKind kind(brackets.open, brackets.close);
    auto* const packed = scratch().data<uint32_t>();
    status = QueueDependent(*backend(), name(), SumDepthsOfTiles,
                            {DivideUp(tiles, kByteTileWarps), kByteTileThreads,
                             kByteTileSharedBytes},
                            kind, in, packed);
    if (!status.ok()) return status;
    return QueueDependent(*backend(), name(),
                          NeedsManyVectors(tiles)
                              ? FindFaultInTiles<kManyVectors>
                              : FindFaultInTiles<1>,
                          {1, kSearchThreads}, kind, in, packed, fault);
  }
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt8, ElementType::kUInt8};
  // One kind: rows, tiles, those of a block. Several: rows and their tiles.
  contract.boundaries = {kByteRowBytes, kByteTileBytes, kByteTileSharedBytes,
                         kPieceBytes, kWarpSize * kPieceBytes};
  contract.notes =
      "several kinds: waits for the device once, and takes 24 bytes of memory "
      "for each bracket without a partner in its row of 256";
  return contract;
}

const bool kRegistered = RegisterOnCuda<MatchParensFused>(
    "fused", /*rank=*/10,
    "one kind: one ordered pass over depths; several: a stack for each row, "
    "then a sort by depth",
    MakeContract());

}  // namespace
}  // namespace concord::match_parens
