// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// match_parens on several GPUs. One kind of brackets: the tiles of cuda/fused,
// each summed up by the member that holds it. What they do to the depth goes to
// member 0's memory by their numbers, where cuda/fused's second kernel looks
// for the fault. Several kinds: on one member, which reads all of the array.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/match_parens/cuda/kernel.cuh"
#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/backends/cuda/byte_tiles.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/gpus/uneven_share.h"
#include "concord/core/errors.h"

namespace concord::match_parens {
namespace {

// What a block takes, which divides no stripe.
using TileShare = UnevenShare<kByteTileSharedBytes>;

// One block for each place of the share, a tile for each warp.
template <typename = void>
__global__ void __launch_bounds__(kByteTileThreads,
                                  kByteTileBlocksPerMultiprocessor)
    SumDepthsOfShare(BracketKind kind, Span<const uint8_t> in,
                     const __grid_constant__ TileShare share, uint32_t* tiles) {
  SumDepths(kind, in, share(blockIdx.x) * kByteTileWarps + WarpId(), tiles);
}

class MatchParensFused : public OnGpus<MatchParens> {
 public:
  using OnGpus<MatchParens>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView fault,
                       const Options& options) override {
    if (in.empty()) {
      constexpr std::int64_t kBalanced = -1;
      return backend()->Copy(ConstArrayView(&kBalanced, 1, Memory::Host()),
                             fault);
    }
    auto* const position = fault.data<std::int64_t>();
    const Brackets brackets = *BracketsOf(options, in.type());
    const Span<const std::uint8_t> span =
        AlignedSpan(static_cast<const std::uint8_t*>(in.data()), in.size());
    return brackets.kinds > 1 ? kinds_.FindFault(span, brackets, position)
                              : MatchOneKind(span, brackets, position);
  }

 private:
  // `in` has at least one element.
  absl::Status MatchOneKind(Span<const uint8_t> in, const Brackets& brackets,
                            int64_t* fault) {
    const BracketKind kind(brackets.open, brackets.close);
    const std::int64_t tiles = ByteTilesOf(in);
    RETURN_IF_ERROR(packed_.Reserve(PackedBytes(tiles)));
    auto* const packed = packed_.data<std::uint32_t>();
    const auto share_of = [&](const GroupPlace& place, int i) {
      return UnevenShareOf<kByteTileSharedBytes>(
          place, DivideUp(tiles, kByteTileWarps), i);
    };
    RETURN_IF_ERROR(QueueShares(
        *backend(), in.base, share_of, [&](int i, const TileShare& share) {
          return QueueKernel(
              *backend()->member(i), name(), SumDepthsOfShare<>,
              {share.count, kByteTileThreads, kByteTileSharedBytes}, kind, in,
              share, packed);
        }));
    return QueueKernel(*backend()->member(0), name(),
                       NeedsManyVectors(tiles) ? FindFaultInTiles<kManyVectors>
                                               : FindFaultInTiles<1>,
                       {1, kSearchThreads}, kind, in, packed, fault);
  }

  // In the first member's memory.
  Scratch packed_{backend()->member(0)};
  // The stand-in, whose memory is all members'.
  KindMatcher kinds_{
      std::static_pointer_cast<CudaBackend>(backend()->stand_in())};
};

const bool kRegistered = RegisterOnGpus<MatchParensFused>(
    "fused", /*rank=*/10,
    "one kind: each member the tiles that lie with it, searched by the first; "
    "several: that of cuda, on one member",
    Contract()
        .Types({ElementType::kInt8, ElementType::kUInt8})
        .Boundaries({kByteRowBytes, kByteTileBytes, kByteTileSharedBytes,
                     kPieceBytes, (kWarpSize * kPieceBytes)})
        // Those of elements of one byte.
        .Boundaries({kGranuleBytes, 2 * kGranuleBytes})
        .Keeps("a word for each tile, in the first member's memory")
        .Notes("several kinds: one GPU reads all members' memory, waits for "
               "the device once, and takes 24 bytes of memory for each bracket "
               "without a partner in its row of 256; the same result for any "
               "number of members and both layouts"));

}  // namespace
}  // namespace concord::match_parens
