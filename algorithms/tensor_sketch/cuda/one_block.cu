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

using sketch_recurrence::LevelMemory;
using sketch_recurrence::SketchWithTwoWaits;
using sketch_recurrence::ThreadForEachCell;

class OneBlock : public TensorSketchOnGpu {
 public:
  explicit OneBlock(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "one_block", /*normalizes=*/false),
        memory_(backend) {}

  absl::Status Launch(const SketchProblem& problem) override {
    int64_t blocks = 1;
    absl::Status status = memory_.Place(
        problem, reinterpret_cast<const void*>(SketchWithTwoWaits), 0, &blocks);
    if (!status.ok()) return status;
    for (int64_t row = 0; row < problem.rows.count; ++row) {
      SketchWithTwoWaits<<<1, ThreadForEachCell(problem),
                           memory_.shared_bytes(), backend_->stream()>>>(
          problem, row, row + 1, memory_.OfBlock(0));
    }
    return LaunchStatus(name_);
  }

 private:
  LevelMemory memory_;
};

const bool kRegistered = RegisterOnGpu<OneBlock>(
    "one_block", /*rank=*/-6,
    "the recurrence, a launch of one block for each sequence",
    sketch_recurrence::RecurrenceContract(
        "keeps one multiprocessor busy; version 3 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
