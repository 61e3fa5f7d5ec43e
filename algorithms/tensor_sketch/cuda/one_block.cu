// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 3 of the article, its first on a GPU: a launch for each sequence, of
// one block with a thread for each cell of the levels. The launches run one
// after the other, each on a single multiprocessor.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/two_waits.cuh"

namespace concord::tensor_sketch {
namespace {

class OneBlock : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    int64_t blocks = 1;
    absl::Status status = memory_.Place(problem, 0, &blocks);
    for (int64_t row = 0; row < problem.rows.count && status.ok(); ++row) {
      status = Queue(SketchWithTwoWaits,
                     {1, ThreadForEachCell(problem), memory_.shared_bytes()},
                     problem, row, row + 1, memory_.OfBlock(0));
    }
    return status;
  }

 private:
  LevelMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<OneBlock>(
    "one_block", /*rank=*/-6,
    "the recurrence, a launch of one block for each sequence",
    RecurrenceContract(
        "keeps one multiprocessor busy; version 3 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
