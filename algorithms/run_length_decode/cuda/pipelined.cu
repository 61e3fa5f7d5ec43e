// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Short runs in one pass over them, on the pipeline of backends/cuda, whose
// method is that of D. Merrill and M. Garland ("Single-pass parallel prefix
// scan with decoupled look-back", 2016) with one gathering of sums in place of
// the chain of prefixes. Where runs are long, tiles of the output are better
// than those of runs: these are left to tile_search.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "concord/algorithms/run_length_decode/cuda/pieces.cuh"
#include "concord/algorithms/run_length_decode/cuda/pipelined.cuh"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/registry.h"
#include "concord/core/value_or_throw.h"

namespace concord::run_length_decode {
namespace {

// The results are worth a pass over the runs if these have no more elements
// than that on average. The host knows the room for results, not their number.
// (2^27 results on an H200, us, beside those of tile_search: int32 in runs of 1
// to 9 elements 259 and 363, of 1 to 14 211 and 335; int8 of 1 to 20 286 and
// 318.)
constexpr int64_t kMostAverage = 8;

class RunLengthDecodePipelined : public OnCuda<RunLengthDecode> {
 public:
  using OnCuda::OnCuda;

  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    const int64_t count = runs.values.size();
    if (count == 0 || out.out.size() / kMostAverage >= count) {
      return of_long_runs_->Run(runs, out);
    }
    return run_length_encode::DispatchRunLengths(
        runs.values.type(), runs.lengths.type(), [&](auto word, auto length) {
          return Launch<typename decltype(word)::type,
                        typename decltype(length)::type>(runs, out);
        });
  }

 private:
  // How many pieces there are, and what FillPieces wants.
  struct Counts {
    unsigned pieces;
    unsigned arrivals;
  };

  template <typename Word, typename Length>
  absl::Status Launch(const Runs& runs, const Outputs& out) {
    const int64_t capacity = out.out.size();
    const int64_t room = PiecesOfRuns<Word>::Most(capacity);
    absl::Status status = counts_.Reserve<Counts>(1);
    status.Update(scratch().Reserve<PieceOfRun<Word>>(room));
    if (!status.ok()) return status;
    auto* const counts = counts_.data<Counts>();
    const PiecesOfRuns<Word> pieces{scratch().data<PieceOfRun<Word>>(),
                                    &counts->pieces,
                                    static_cast<unsigned>(room)};
    Word* const to = out.out.data<Word>();
    const auto lengths =
        AlignedSpan(runs.lengths.data<Length>(), runs.lengths.size());
    status = launcher_.Launch(
        DecodeJob<Word, Length>{lengths,
                                runs.values.data<Word>() - lengths.begin, to,
                                capacity, out.size.data<int64_t>(), pieces},
        name());
    if (!status.ok() || capacity < kLongRun) return status;
    constexpr int kBlocks = 4;  // of a multiprocessor
    return filler_.Queue(
        name(), FillPieces<Word>,
        {std::min<int64_t>(room, kBlocks * backend()->multiprocessors()),
         kFillThreads},
        pieces, to, &counts->arrivals);
  }

  PipelineLauncher launcher_{backend()};
  DependentLauncher filler_{backend()};
  Scratch counts_{backend()};
  std::unique_ptr<RunLengthDecode> of_long_runs_ =
      ValueOrThrow(
          Registry<RunLengthDecode>::Get().Create(backend(), "tile_search"));
};

const bool kRegistered = RegisterOnCuda<RunLengthDecodePipelined>(
    "pipelined", /*rank=*/20, "one pass over the runs, where these are short",
    Contract()
        .SpecialValues("copied bit for bit")
        .Keeps("a word for each tile, which says in which call it was written, "
               "so that only the first call clears them; room for parts of "
               "long runs, at most a fiftieth of the results")
        .Boundaries(PipelineBoundaries(
            {PipelineLayout<DecodeJob<uint32_t, int32_t>>::kTileElements,
             PipelineLayout<DecodeJob<uint32_t, int64_t>>::kTileElements}))
        .Notes("runs by tile_search where there is room for eight results or "
               "more for each run"),
    PipelineRequirement());

}  // namespace
}  // namespace concord::run_length_decode
