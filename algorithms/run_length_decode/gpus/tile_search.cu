// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length decoding on several GPUs: what cuda/tile_search does, by shares.
//
//   1. Each member adds up the groups of lengths that lie with it. The sums go
//      to member 0's memory.
//   2. Member 0 scans them and tells every member where all groups start: 8
//      bytes for 256 runs, so that a tile's search stays at home.
//   3. Each member writes the tiles of the output that lie with it. Runs of
//      other members are read across the links.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/run_length_decode/cuda/tile_search.cuh"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"

namespace concord::run_length_decode {
namespace {

// What a block takes, of lengths and of the output, divides a stripe.
template <typename Length>
constexpr std::int64_t kBlockBytes = kGroupsOfBlock* kGroup * sizeof(Length);
static_assert(kGranuleBytes % kBlockBytes<std::int64_t> == 0);
static_assert(kGranuleBytes % kTileBytes == 0);

// One block for each kGroupsOfBlock groups of the share.
template <typename Length>
__global__ void __launch_bounds__(kThreads)
    SumShare(const Length* lengths, int64_t runs,
             const __grid_constant__ Share share, int64_t* sums) {
  const int64_t first = int64_t{share(blockIdx.x)} * kGroupsOfBlock;
  for (int g = WarpId(); g < kGroupsOfBlock; g += kWarps) {
    const int64_t group = first + g;
    if (group * kGroup >= runs) return;
    const int64_t sum = SumOfGroup(lengths, runs, group);
    if (LaneId() == 0) sums[group] = sum;
  }
}

// Where groups start, in each member's memory; the last place has the size.
struct StartsOfMembers {
  int64_t* of[kMostMembers];
  int members;

  __device__ void Put(int64_t at, int64_t start) const {
    for (int i = 0; i < members; ++i) of[i][at] = start;
  }
};

// On member 0, one warp for each kGroupsOfBlock groups. Where a member gave up
// waiting for sums, they mean nothing, and nothing is to be written by them.
template <typename = void>
__global__ void __launch_bounds__(kWarpSize)
    ScanSums(const int64_t* sums, int64_t groups, uint32_t blocks,
             unsigned long long* counter, StatusWord* statuses,
             const volatile uint32_t* gave_up,
             const __grid_constant__ StartsOfMembers starts, int64_t* size) {
  TileTicket ticket{};
  if (LaneId() == 0) ticket = DrawTile(counter, blocks);
  ticket.tile = ShuffleFrom(ticket.tile, 0);
  ticket.epoch = ShuffleFrom(ticket.epoch, 0);
  const int64_t group = int64_t{ticket.tile} * kGroupsOfBlock + LaneId();
  const GroupStarts of_block =
      FindStarts(group < groups ? sums[group] : 0, ticket, statuses);
  if (group < groups) starts.Put(group, of_block.mine);
  if (LaneId() == 0 && ticket.tile == blocks - 1) {
    starts.Put(groups, *gave_up == 0 ? of_block.end : 0);
    *size = of_block.end;
  }
}

// One block for each tile of the share.
template <typename Word, typename Length>
__global__ void __launch_bounds__(kThreads)
    WriteShare(const Word* values, const Length* lengths, int64_t runs,
               const int64_t* starts, const int64_t* size, Span<Word> out,
               const __grid_constant__ Share share) {
  WriteTile(share(blockIdx.x), values, lengths, runs, starts, size, out);
}

class RunLengthDecodeTileSearch : public OnGpus<RunLengthDecode> {
 public:
  using OnGpus<RunLengthDecode>::OnGpus;

 protected:
  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    if (runs.values.empty()) {
      constexpr std::int64_t kNone = 0;
      return backend()->Copy(ConstArrayView(&kNone, 1, Memory::Host()),
                             out.size);
    }
    return run_length_encode::DispatchRunLengths(
        runs.values.type(), runs.lengths.type(), [&](auto word, auto length) {
          return Launch<typename decltype(word)::type,
                        typename decltype(length)::type>(runs, out);
        });
  }

 private:
  template <typename Word, typename Length>
  absl::Status Launch(const Runs& runs, const Outputs& out) {
    const std::int64_t groups = DivideUp(runs.values.size(), kGroup);
    RETURN_IF_ERROR(starts_.Prepare(
        (groups + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)), 0));
    RETURN_IF_ERROR(QueueSums(runs.lengths.data<Length>(), runs.lengths.size(),
                              DivideUp(groups, kGroupsOfBlock)));
    RETURN_IF_ERROR(QueueScan(groups, out.size.data<std::int64_t>()));
    if (out.out.empty()) return absl::OkStatus();
    return QueueTiles<Word, Length>(
        runs, groups, AlignedSpan(out.out.data<Word>(), out.out.size()));
  }

  template <typename Length>
  absl::Status QueueSums(const Length* lengths, std::int64_t runs,
                         std::int64_t blocks) {
    std::int64_t* const sums = starts_.own<std::int64_t>(0);
    return QueueShares(
        *backend(), lengths, kBlockBytes<Length>, blocks,
        [&](int i, const Share& share) {
          return QueueKernel(*backend()->member(i), name(), SumShare<Length>,
                             {share.count, kThreads}, lengths, runs, share,
                             sums);
        });
  }

  absl::Status QueueScan(std::int64_t groups, std::int64_t* size) {
    const std::int64_t blocks = DivideUp(groups, kGroupsOfBlock);
    RETURN_IF_ERROR(words_.Prepare<StatusWord>(blocks));
    StartsOfMembers starts = {};
    for (; starts.members < backend()->members(); ++starts.members) {
      starts.of[starts.members] = starts_.own<std::int64_t>(starts.members);
    }
    return QueueKernel(*backend()->member(0), name(), ScanSums<>,
                       {blocks, kWarpSize}, starts.of[0], groups,
                       static_cast<std::uint32_t>(blocks), words_.counter(),
                       words_.words<StatusWord>(),
                       backend()->patience().gave_up, starts, size);
  }

  template <typename Word, typename Length>
  absl::Status QueueTiles(const Runs& runs, std::int64_t groups,
                          const Span<Word>& out) {
    return QueueShares(
        *backend(), out.base, kTileBytes,
        DivideUp(out.end, kTileElements<Word>), [&](int i, const Share& share) {
          const std::int64_t* const starts = starts_.own<std::int64_t>(i);
          return QueueKernel(
              *backend()->member(i), name(), WriteShare<Word, Length>,
              {share.count, kThreads, kTileBytes}, runs.values.data<Word>(),
              runs.lengths.data<Length>(), runs.values.size(), starts,
              starts + groups, out, share);
        });
  }

  // Each member's; those of member 0 are sums of groups before they are
  // scanned.
  MembersWords starts_{backend()};
  TileWords words_{backend()->member(0)};
};

const bool kRegistered = RegisterOnGpus<RunLengthDecodeTileSearch>(
    "tile_search", /*rank=*/10,
    "each member the lengths, and the tiles of the output, that lie with it",
    Contract()
        .SpecialValues("copied bit for bit")
        .Keeps("where each 256 runs start, in every member's memory")
        .Boundaries({kTileElements<uint64_t>, kTileElements<uint32_t>,
                     kTileElements<uint8_t>, kGroup, (kGroup * kGroupsOfBlock)})
        .Boundaries(StripeBoundaries())
        .Notes("the same bits for any number of members and both layouts"));

}  // namespace
}  // namespace concord::run_length_decode
