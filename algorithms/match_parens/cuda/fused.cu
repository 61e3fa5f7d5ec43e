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
#include "concord/core/errors.h"

namespace concord::match_parens {
namespace {

class MatchParensFused : public MatchParensOnCuda {
 public:
  using MatchParensOnCuda::MatchParensOnCuda;

 private:
  absl::Status MatchOneKind(Span<const uint8_t> in, const Brackets& brackets,
                            int64_t* fault) override {
    const int64_t tiles = ByteTilesOf(in);
    RETURN_IF_ERROR(scratch().Reserve(PackedBytes(tiles)));
    const BracketKind kind(brackets.open, brackets.close);
    auto* const packed = scratch().data<uint32_t>();
    RETURN_IF_ERROR(launcher_.Queue(name(), SumDepthsOfTiles<>,
                                    {DivideUp(tiles, kByteTileWarps),
                                     kByteTileThreads, kByteTileSharedBytes},
                                    kind, in, packed));
    return launcher_.Queue(name(),
                           NeedsManyVectors(tiles)
                               ? FindFaultInTiles<kManyVectors>
                               : FindFaultInTiles<1>,
                           {1, kSearchThreads}, kind, in, packed, fault);
  }

  DependentLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<MatchParensFused>(
    "fused", /*rank=*/10,
    "one kind: one ordered pass over depths; several: a stack for each row, "
    "then a sort by depth",
    Contract()
        .Types({ElementType::kInt8, ElementType::kUInt8})
        // One kind: rows, tiles, those of a block. Several: rows and their
        // tiles.
        .Boundaries({kByteRowBytes, kByteTileBytes, kByteTileSharedBytes,
                     kPieceBytes, (kWarpSize * kPieceBytes)})
        .Notes(
            "several kinds: waits for the device once, and takes 24 bytes of "
            "memory for each bracket without a partner in its row of 256"));

}  // namespace
}  // namespace concord::match_parens
