// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding in one pass over memory, on the pipeline of
// backends/cuda, whose method is that of D. Merrill and M. Garland
// ("Single-pass parallel prefix scan with decoupled look-back", 2016) with one
// gathering of sums in place of the chain of prefixes. What a tile tells the
// others is how many runs start in it and where the last of them does.
//
// Bytes are left to look-back, which has more warps: in a segment four times as
// many elements are waiting to be ranked.

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/run_length_encode/cuda/pipelined.cuh"
#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

class RunLengthEncodePipelined
    : public RunLengthEncodeOnCuda<RunLengthEncodePipelined> {
 public:
  using RunLengthEncodeOnCuda::RunLengthEncodeOnCuda;

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
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
  std::unique_ptr<RunLengthEncode> lookback_;
};

const bool kRegistered = RegisterOnCuda<RunLengthEncodePipelined>(
    "pipelined", /*rank=*/20,
    "one pass, warps with roles, prefixes gathered ahead; bytes by look-back",
    Contract()
        .SpecialValues("floats are equal when their bits are")
        .Keeps(kKeepsTileWords)
        .Boundaries(PipelineBoundaries(
            {PipelineLayout<EncodeJob<uint64_t, int64_t>>::kTileElements,
             PipelineLayout<EncodeJob<uint32_t, int64_t>>::kTileElements})),
    PipelineRequirement());

}  // namespace
}  // namespace concord::run_length_encode
