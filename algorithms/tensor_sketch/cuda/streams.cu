// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 4 of the article: the launches of version 3, dealt out to many
// streams, so that they run at the same time.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <algorithm>

#include "concord/algorithms/tensor_sketch/cuda/branches.cuh"
#include "concord/algorithms/tensor_sketch/cuda/two_waits.cuh"
#include "concord/backends/cuda/launch.cuh"

namespace concord::tensor_sketch {
namespace {

class Streams : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    int64_t streams = std::min<int64_t>(kUsualStreams, problem.rows.count);
    absl::Status status = memory_.Place(problem, 0, &streams);
    const LaunchShape shape = {1, ThreadForEachCell(problem),
                               memory_.shared_bytes()};
    status.Update(PrepareLaunch(SketchWithTwoWaits, shape, name()));
    if (!status.ok()) return status;
    return branches_.Deal(
        problem.rows.count, /*group=*/1, streams, stream(), name(),
        [&](int64_t first, int64_t last, int64_t i, cudaStream_t stream) {
          return LaunchKernel(stream, SketchWithTwoWaits, shape, problem, first,
                              last, memory_.OfBlock(i));
        });
  }

 private:
  LevelMemory memory_{backend()};
  Branches branches_;
};

const bool kRegistered = RegisterOnCuda<Streams>(
    "streams", /*rank=*/-5,
    "the recurrence, a launch for each sequence on one of 32 streams",
    RecurrenceContract("32 sequences at a time; version 4 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
