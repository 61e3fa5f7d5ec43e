// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding in one pass over memory, on the pipeline of
// backends/cuda, whose method is that of D. Merrill and M. Garland
// ("Single-pass parallel prefix scan with decoupled look-back", 2016) with one
// gathering of sums in place of the chain of prefixes. What a tile tells the
// others is how many runs start in it and where the last of them does.
//
// Bytes are left to look-back, which has more warps: in a segment four times as
// many elements are waiting to be ranked. Of few elements one block takes care,
// without the time that it takes to set all of that up.

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/run_length_encode/cuda/pipelined.cuh"
#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

// What one block encodes: some elements of each thread, in registers.
constexpr int kBlockThreads = 1024;
constexpr int kBlockItems = 4;
constexpr int kMostOfOneBlock = kBlockThreads * kBlockItems;

template <typename Word, typename Length>
__global__ void __launch_bounds__(kBlockThreads)
    EncodeInOneBlock(const Word* in, int n, Word* values, Length* lengths,
                     int64_t* runs) {
  constexpr int kWarps = kBlockThreads / kWarpSize;
  static_assert(kWarps == kWarpSize);
  __shared__ int warp_starts[kWarps];
  __shared__ uint16_t starts[kMostOfOneBlock + 1];
  LetNextGridStart();
  WaitForGridBefore();
  // Few elements are spread over all warps, each of which has a stretch.
  const int rows = (n + kBlockThreads - 1) / kBlockThreads;
  const int mine = WarpId() * rows * kWarpSize + LaneId();
  Word elements[kBlockItems];
  unsigned is_start[kBlockItems];
  int total = 0;
#pragma unroll
  for (int i = 0; i < kBlockItems; ++i) {
    const int place = mine + i * kWarpSize;
    const bool present = i < rows && place < n;
    elements[i] = present ? in[place] : Word{0};
    const bool starts_here =
        present && (place == 0 || in[place - 1] != elements[i]);
    is_start[i] = __ballot_sync(kWholeWarp, starts_here);
    total += __popc(is_start[i]);
  }
  if (LaneId() == 0) warp_starts[WarpId()] = total;
  __syncthreads();
  const int of_warp = warp_starts[LaneId()];
  int before = WarpReduce<Add<int>>(LaneId() < WarpId() ? of_warp : 0);
  const int all = WarpReduce<Add<int>>(of_warp);
#pragma unroll
  for (int i = 0; i < kBlockItems; ++i) {
    if (i >= rows) break;
    if ((is_start[i] >> LaneId() & 1) != 0) {
      const int run = before + __popc(is_start[i] & ((1u << LaneId()) - 1));
      values[run] = elements[i];
      starts[run] = static_cast<uint16_t>(mine + i * kWarpSize);
    }
    before += __popc(is_start[i]);
  }
  if (threadIdx.x == 0) {
    starts[all] = static_cast<uint16_t>(n);
    *runs = all;
  }
  __syncthreads();
  for (int run = threadIdx.x; run < all; run += kBlockThreads) {
    lengths[run] = static_cast<Length>(starts[run + 1] - starts[run]);
  }
}

class RunLengthEncodePipelined
    : public RunLengthEncodeOnCuda<RunLengthEncodePipelined> {
 public:
  using RunLengthEncodeOnCuda::RunLengthEncodeOnCuda;

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
    if (in.size() <= kMostOfOneBlock) {
      return one_block_.Queue(
          name(), EncodeInOneBlock<Word, Length>, {1, kBlockThreads},
          in.data<Word>(), static_cast<int>(in.size()), out.values.data<Word>(),
          out.lengths.data<Length>(), out.runs.data<int64_t>());
    }
    if constexpr (sizeof(Word) == 1) {
      return EncodeBytes(in, out);
    } else {
      return launcher_.Launch(
          EncodeJob<Word, Length>{
              AlignedSpan(in.data<Word>(), in.size()),
              {out.values.data<Word>(), out.lengths.data<Length>()},
              out.runs.data<int64_t>()},
          name());
    }
  }

 private:
  absl::Status EncodeBytes(ConstArrayView in, const Outputs& out) {
    if (lookback_ == nullptr) {
      absl::StatusOr<std::unique_ptr<RunLengthEncode>> lookback =
          Registry<RunLengthEncode>::Get().Create(backend(), "lookback");
      if (!lookback.ok()) return lookback.status();
      lookback_ = *std::move(lookback);
    }
    return lookback_->Run(in, out);
  }

  PipelineLauncher launcher_{backend()};
  DependentLauncher one_block_{backend()};
  std::unique_ptr<RunLengthEncode> lookback_;
};

const bool kRegistered = RegisterOnCuda<RunLengthEncodePipelined>(
    "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead; bytes by look-back",
    Contract()
        .SpecialValues("floats are equal when their bits are")
        .Keeps(kKeepsTileWords)
        .Boundaries({kBlockThreads, kMostOfOneBlock})
        .Boundaries(PipelineBoundaries(
            {PipelineLayout<EncodeJob<uint64_t, int64_t>>::kTileElements,
             PipelineLayout<EncodeJob<uint32_t, int64_t>>::kTileElements})),
    PipelineRequirement());

}  // namespace
}  // namespace concord::run_length_encode
