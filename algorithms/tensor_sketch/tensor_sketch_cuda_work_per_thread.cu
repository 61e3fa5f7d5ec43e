// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 9 of the article: a thread computes six neighbouring columns of one
// level, so that it looks up the letter, its hash and its sign once for all of
// them; and, from version 8, threads of one level are neighbours, so that they
// read neighbouring columns.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "algorithms/tensor_sketch/tensor_sketch_cuda_recurrence.cuh"

namespace concord {
namespace {

using sketch_recurrence::kColumnsPerThread;
using sketch_recurrence::LaunchBlocks;
using sketch_recurrence::LevelMemory;
using sketch_recurrence::Levels;
using sketch_recurrence::LevelsOfBlock;
using sketch_recurrence::NextValue;
using sketch_recurrence::ThreadsByColumns;

__global__ void SketchColumns(SketchProblem problem, int64_t first,
                              int64_t last, uint64_t* device_levels) {
  const auto [hashes, signs, alphabet_size, t, dim] = problem.tables;
  Levels levels = LevelsOfBlock(problem, device_levels);
  const int k = threadIdx.y;
  const int64_t row = int64_t{k} * dim;
  for (int64_t s = first + blockIdx.x; s < last; s += gridDim.x) {
    StartSequence(problem, levels);
    const int64_t end = problem.offsets[s + 1];
    for (int64_t i = problem.offsets[s]; i < end; ++i) {
      const int letter = problem.letters[i];
      if (letter >= alphabet_size) continue;
      const int hash = hashes[letter * t + k];
      const int sign = signs[letter * t + k];
      for (int l0 = kColumnsPerThread * threadIdx.x; l0 < dim;
           l0 += kColumnsPerThread * blockDim.x) {
        const int l1 = min(l0 + kColumnsPerThread, dim);
        for (int l = l0; l < l1; ++l) {
          levels.after[row + dim + l] =
              NextValue(levels.before + row, l, hash, sign, dim);
        }
      }
      levels.Swap();
      __syncthreads();
    }
    FinishSequence(problem, s, levels);
  }
}

class WorkPerThread : public TensorSketchOnGpu {
 public:
  explicit WorkPerThread(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "work_per_thread"), memory_(backend) {}

  absl::Status Launch(const SketchProblem& problem) override {
    return LaunchBlocks(SketchColumns, problem, ThreadsByColumns(problem), 0,
                        backend_->stream(), &memory_, name_);
  }

 private:
  LevelMemory memory_;
};

const bool kRegistered = RegisterOnGpu<WorkPerThread>(
    "work_per_thread", /*rank=*/-2, "the recurrence, six columns a thread",
    sketch_recurrence::RecurrenceContract(
        "takes as long as the longest sequence; version 9 of the article"));

}  // namespace
}  // namespace concord
