// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding in one pass over memory, on the pipeline of
// backends/cuda, whose method is that of D. Merrill and M. Garland
// ("Single-pass parallel prefix scan with decoupled look-back", 2016) with one
// gathering of sums in place of the chain of prefixes. What a tile tells the
// others is how many runs start in it and where the last of them does.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/run_length_encode/run_length_encode.h"
#include "algorithms/run_length_encode/run_length_encode_cuda_pipelined.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/pipeline_launch.cuh"
#include "backends/cuda/vector.cuh"
#include "core/registry.h"

namespace concord {
namespace {

constexpr char kImplementation[] = "run_length_encode/cuda/pipelined";

class RunLengthEncodePipelined : public RunLengthEncode {
 public:
  explicit RunLengthEncodePipelined(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        launcher_(backend_, kImplementation) {}

  absl::Status Run(ConstArrayView in, const Outputs& out) override {
    absl::Status status = CheckRunLengthEncodeArguments(
        in, out, backend_->memory(), kImplementation);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    auto* const runs = out.runs.data<int64_t>();
    if (in.empty()) {
      return CudaStatus(
          cudaMemsetAsync(runs, 0, sizeof(*runs), backend_->stream()),
          "the number of runs of nothing");
    }
    return DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          using Word = typename decltype(word)::type;
          using Length = typename decltype(length)::type;
          return launcher_.Launch(EncodeJob<Word, Length>{
              AlignedSpan(in.data<Word>(), in.size()),
              {out.values.data<Word>(), out.lengths.data<Length>()},
              runs});
        });
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  PipelineLauncher launcher_;
};

Contract MakeContract() {
  Contract contract;
  contract.special_values = "floats are equal when their bits are";
  // A tile, and one for each multiprocessor of an H100 or H200: from then on
  // blocks have more than one.
  constexpr int64_t kBlocks = 132;
  for (const int64_t tile :
       {PipelineLayout<EncodeJob<uint64_t, int64_t>>::kTileElements,
        PipelineLayout<EncodeJob<uint32_t, int64_t>>::kTileElements,
        PipelineLayout<EncodeJob<uint8_t, int64_t>>::kTileElements}) {
    contract.boundaries.push_back(tile);
    contract.boundaries.push_back(kBlocks * tile);
  }
  return contract;
}

const bool kRegistered = Registry<RunLengthEncode>::Get().Add(
    "cuda", "pipelined", /*rank=*/8,
    "one pass, warps with roles, prefixes gathered ahead", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RunLengthEncodePipelined>(std::move(backend));
    },
    PipelineRequirement());

}  // namespace
}  // namespace concord
