// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks share the output, not the runs, so that runs of any lengths keep all
// of them equally busy. One launch adds up the lengths, group by group, with
// decoupled look-back between blocks (Merrill and Garland, 2016). In a second,
// each tile of the output finds its first group by search, scans lengths from
// there on, and spreads the values in shared memory, from which they go out as
// whole vectors. The search is that of the load-balancing search of S. Baxter
// ("Moderngpu", 2013), for tiles in place of single elements. Launches overlap:
// a block is there when the grid before it ends.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/run_length_decode/cuda/tile_search.cuh"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::run_length_decode {
namespace {

// starts[g] becomes the sum of all lengths before group g, *size that of all.
template <typename Length>
__global__ void __launch_bounds__(kThreads)
    SumGroups(const Length* lengths, int64_t runs, uint32_t blocks,
              unsigned long long* counter, StatusWord* statuses,
              int64_t* starts, int64_t* size) {
  __shared__ TileTicket ticket;
  __shared__ int64_t sums[kGroupsOfBlock];
  StartBesideGridBefore();
  if (threadIdx.x == 0) ticket = DrawTile(counter, blocks);
  __syncthreads();
  const int64_t first_group = int64_t{ticket.tile} * kGroupsOfBlock;
  for (int g = WarpId(); g < kGroupsOfBlock; g += kWarps) {
    const int64_t sum = SumOfGroup(lengths, runs, first_group + g);
    if (LaneId() == 0) sums[g] = sum;
  }
  __syncthreads();
  if (WarpId() != 0) return;
  const GroupStarts of_block = FindStarts(sums[LaneId()], ticket, statuses);
  if (LaneId() == 0 && ticket.tile == blocks - 1) *size = of_block.end;
  const int64_t group = first_group + LaneId();
  if (group * kGroup < runs) starts[group] = of_block.mine;
}

template <typename Word, typename Length>
__global__ void __launch_bounds__(kThreads)
    WriteTiles(const Word* values, const Length* lengths, int64_t runs,
               const int64_t* starts, const int64_t* size, Span<Word> out) {
  StartBesideGridBefore();
  WriteTile(blockIdx.x, values, lengths, runs, starts, size, out);
}

class RunLengthDecodeCuda : public OnCuda<RunLengthDecode> {
 public:
  using OnCuda::OnCuda;

  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    if (runs.values.empty()) {
      return Store<int64_t>(0, out.size.data<int64_t>());
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
    const int64_t count = runs.values.size();
    const int64_t groups = DivideUp(count, kGroup);
    const int64_t blocks = DivideUp(groups, kGroupsOfBlock);
    absl::Status status = words_.Prepare<StatusWord>(blocks);
    status.Update(scratch().Reserve<int64_t>(groups));
    if (!status.ok()) return status;
    auto* const lengths = runs.lengths.data<Length>();
    auto* const starts = scratch().data<int64_t>();
    auto* const size = out.size.data<int64_t>();
    status =
        launcher_.Queue(name(), SumGroups<Length>, {blocks, kThreads}, lengths,
                        count, static_cast<uint32_t>(blocks), words_.counter(),
                        words_.words<StatusWord>(), starts, size);
    if (!status.ok() || out.out.empty()) return status;
    const Span<Word> span = AlignedSpan(out.out.data<Word>(), out.out.size());
    const int64_t tiles = DivideUp(span.end, kTileElements<Word>);
    return launcher_.Queue(
        name(), WriteTiles<Word, Length>, {tiles, kThreads, kTileBytes},
        runs.values.data<Word>(), lengths, count, starts, size, span);
  }

  TileWords words_{backend()};
  DependentLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<RunLengthDecodeCuda>(
    "tile_search", /*rank=*/10,
    "blocks share the output, and find their runs by search",
    Contract()
        .SpecialValues("copied bit for bit")
        .Keeps(kKeepsTileWords)
        .Boundaries({kTileElements<uint64_t>, kTileElements<uint32_t>,
                     kTileElements<uint8_t>, kGroup,
                     (kGroup * kGroupsOfBlock)}));

}  // namespace
}  // namespace concord::run_length_decode
