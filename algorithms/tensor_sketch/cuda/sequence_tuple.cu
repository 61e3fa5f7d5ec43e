// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 13 of the article: a launch gets a tuple of sequences, each where it
// begins and ends, in place of the offsets of all in one array. Otherwise it is
// version 12.
//
// The tuple is an argument of the launch, so the host has to know it: it waits
// until the offsets have come from the device.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <vector>

#include "concord/algorithms/tensor_sketch/cuda/dealt.cuh"
#include "concord/backends/cuda/launch.cuh"

namespace concord::tensor_sketch {
namespace {

struct Sequence {
  const uint8_t* begin;
  const uint8_t* end;
};

struct SequenceTuple {
  Sequence sequences[kMostBlocksOfLaunch];
};

// Block i sketches the tuple's i-th sequence, which is row first + i.
__global__ void SketchTuple(SketchProblem problem, SequenceTuple tuple,
                            int64_t first, uint64_t* device_levels,
                            int tables_at) {
  __shared__ uint8_t loaded[kLoad];
  const Tables tables = TablesOfBlock(problem, tables_at);
  Levels<uint64_t> levels = LevelsOfBlock(problem, device_levels);
  const Sequence sequence = tuple.sequences[blockIdx.x];
  StartRow(problem, levels);
  TakeLetters(sequence.begin, sequence.end, tables,
              Steps{static_cast<int>(blockDim.y), kWarpSize}, loaded, &levels);
  FinishRow(problem, first + blockIdx.x, levels);
}

class TupleOfSequences : public DealtLaunches {
 public:
  using DealtLaunches::DealtLaunches;

 private:
  absl::Status Prepare(const SketchProblem& problem,
                       int shared_bytes) override {
    const RowsOnGpu& rows = problem.rows;
    begins_.resize(rows.count);
    ends_.resize(rows.count);
    absl::Status status = Fetch(rows.begins, &begins_);
    status.Update(Fetch(rows.ends, &ends_));
    status.Update(backend()->Synchronize());
    status.Update(PrepareLaunch(
        SketchTuple, {1, WarpForEachLevel(problem), shared_bytes}, name()));
    return status;
  }

  absl::Status Fetch(const int64_t* from, std::vector<int64_t>* to) const {
    return CudaStatus(
        cudaMemcpyAsync(to->data(), from, to->size() * sizeof(int64_t),
                        cudaMemcpyDeviceToHost, stream()),
        "fetching the offsets of ", name());
  }

  cudaError_t LaunchRows(const SketchProblem& problem, int64_t first,
                         int64_t last, cudaStream_t stream,
                         uint64_t* device_levels) override {
    SequenceTuple tuple = {};
    for (int64_t row = first; row < last; ++row) {
      tuple.sequences[row - first] = {problem.letters + begins_[row],
                                      problem.letters + ends_[row]};
    }
    return LaunchKernel(
        stream, SketchTuple,
        {last - first, WarpForEachLevel(problem), memory().shared_bytes()},
        problem, tuple, first, device_levels, memory().tables_at());
  }

  std::vector<int64_t> begins_, ends_;
};

const bool kRegistered = RegisterOnCuda<TupleOfSequences>(
    "sequence_tuple", /*rank=*/2,
    "few_blocks, each launch with a tuple of sequences instead of offsets",
    DealtContract(
        "takes as long as the longest sequence; the host waits until it has "
        "the offsets; version 13 of the article"),
    /*requirement=*/{}, DealtLaunches::Tuning());

}  // namespace
}  // namespace concord::tensor_sketch
