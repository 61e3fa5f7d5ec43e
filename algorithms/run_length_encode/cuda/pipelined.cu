// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding in one pass over memory, on the pipeline of
// backends/cuda, whose method is that of D. Merrill and M. Garland
// ("Single-pass parallel prefix scan with decoupled look-back", 2016) with one
// gathering of sums in place of the chain of prefixes. What a tile tells the
// others is how many runs start in it and where the last of them does.
//
// Bytes are left to look-back, which has more warps: in a segment four times as
// many elements are waiting to be ranked. So are few bytes of wider elements,
// which need more blocks than they have tiles here. The fewest elements are one
// block's, without the time that it takes to set all of that up.

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

// What one block encodes: some elements of each thread, in registers. More of
// them than it takes cost time; with 16 the pipeline is faster. Of bytes
// look-back has as many in a block.
constexpr int kBlockThreads = 1024;
constexpr int kFewItems = 4;
template <typename Word>
inline constexpr int kMostItems = sizeof(Word) == 1 ? kFewItems : 8;
template <typename Word>
inline constexpr int kMostOfOneBlock = kBlockThreads* kMostItems<Word>;

// Elements of which look-back is faster than the pipeline.
template <typename Word>
inline constexpr int64_t kFewElements = kFewBytes / sizeof(Word);

template <int kItems, typename Word, typename Length>
__global__ void __launch_bounds__(kBlockThreads)
    EncodeInOneBlock(const Word* in, int n, Word* values, Length* lengths,
                     int64_t* runs) {
  constexpr int kWarps = kBlockThreads / kWarpSize;
  static_assert(kWarps == kWarpSize);
  __shared__ int warp_starts[kWarps];
  __shared__ uint16_t starts[kBlockThreads * kItems + 1];
  LetNextGridStart();
  WaitForGridBefore();
  // Few elements are spread over all warps, each of which has a stretch.
  const int rows = (n + kBlockThreads - 1) / kBlockThreads;
  const int first = WarpId() * rows * kWarpSize;
  const int mine = first + LaneId();
  Word elements[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int place = mine + i * kWarpSize;
    elements[i] = i < rows && place < n ? in[place] : Word{0};
  }
  Word before_row = 0 < first && first < n ? in[first - 1] : Word{0};
  unsigned is_start[kItems];
  int total = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int place = mine + i * kWarpSize;
    const Word last =
        ShuffleFrom(elements[i], (LaneId() + kWarpSize - 1) % kWarpSize);
    const Word before = LaneId() == 0 ? before_row : last;
    before_row = last;  // which is that of the row in lane 0
    is_start[i] =
        __ballot_sync(kWholeWarp, i < rows && place < n &&
                                      (place == 0 || before != elements[i]));
    total += __popc(is_start[i]);
  }
  if (LaneId() == 0) warp_starts[WarpId()] = total;
  __syncthreads();
  const int of_warp = warp_starts[LaneId()];
  int before = WarpReduce<Add<int>>(LaneId() < WarpId() ? of_warp : 0);
  const int all = WarpReduce<Add<int>>(of_warp);
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
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
    if (in.size() <= kBlockThreads * kFewItems) {
      return LaunchOneBlock<kFewItems, Word, Length>(in, out);
    }
    if (in.size() <= kMostOfOneBlock<Word>) {
      return LaunchOneBlock<kMostItems<Word>, Word, Length>(in, out);
    }
    if constexpr (sizeof(Word) > 1) {
      if (in.size() > kFewElements<Word>) {
        return launcher_.Launch(
            EncodeJob<Word, Length>{
                AlignedSpan(in.data<Word>(), in.size()),
                {out.values.data<Word>(), out.lengths.data<Length>()},
                out.runs.data<int64_t>()},
            name());
      }
    }
    return EncodeByLookback(in, out);
  }

 private:
  template <int kItems, typename Word, typename Length>
  absl::Status LaunchOneBlock(ConstArrayView in, const Outputs& out) {
    return one_block_.Queue(
        name(), EncodeInOneBlock<kItems, Word, Length>, {1, kBlockThreads},
        in.data<Word>(), static_cast<int>(in.size()), out.values.data<Word>(),
        out.lengths.data<Length>(), out.runs.data<int64_t>());
  }

  absl::Status EncodeByLookback(ConstArrayView in, const Outputs& out) {
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
        .Boundaries({kBlockThreads, kBlockThreads* kFewItems,
                     kMostOfOneBlock<uint32_t>, kFewElements<uint32_t>,
                     kFewElements<uint64_t>})
        .Boundaries(PipelineBoundaries(
            {PipelineLayout<EncodeJob<uint64_t, int64_t>>::kTileElements,
             PipelineLayout<EncodeJob<uint32_t, int64_t>>::kTileElements})),
    PipelineRequirement());

}  // namespace
}  // namespace concord::run_length_encode
