// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 4 of the article: the launches of version 3, dealt out to many
// streams, so that they run at the same time. The streams fork from the
// backend's own stream and join it again by events, so that to a caller it is
// one piece of work in order.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <vector>

#include "concord/algorithms/tensor_sketch/cuda/branch.cuh"
#include "concord/algorithms/tensor_sketch/cuda/two_waits.cuh"

namespace concord::tensor_sketch {
namespace {

// As many kernels run at the same time at most, since compute capability 3.5
// (128 on some devices).
constexpr int kStreams = 32;

class Streams : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    int64_t streams = std::min<int64_t>(kStreams, problem.rows.count);
    absl::Status status = memory_.Place(problem, 0, &streams);
    const LaunchShape shape = {1, ThreadForEachCell(problem),
                               memory_.shared_bytes()};
    status.Update(PrepareLaunch(SketchWithTwoWaits, shape, name()));
    for (int64_t i = 0; i < streams && status.ok(); ++i) {
      status = branches_[i].Fork(stream());
    }
    if (!status.ok()) return status;
    for (int64_t row = 0; row < problem.rows.count; ++row) {
      const int64_t i = row % streams;
      SketchWithTwoWaits<<<1, shape.threads, memory_.shared_bytes(),
                           branches_[i].stream()>>>(problem, row, row + 1,
                                                    memory_.OfBlock(i));
    }
    status = LaunchStatus(name());
    // Also after a failed launch: nothing may run on when this returns.
    for (int64_t i = 0; i < streams; ++i) {
      status.Update(branches_[i].Join(stream()));
    }
    return status;
  }

 private:
  LevelMemory memory_{backend()};
  std::vector<Branch> branches_{kStreams};
};

const bool kRegistered = RegisterOnCuda<Streams>(
    "streams", /*rank=*/-5,
    "the recurrence, a launch for each sequence on one of 32 streams",
    RecurrenceContract("32 sequences at a time; version 4 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
