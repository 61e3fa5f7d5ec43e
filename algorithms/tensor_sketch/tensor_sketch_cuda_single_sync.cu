// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 7 of the article: the two copies of the levels take turns, so that
// the threads wait for each other once a letter instead of twice, and nothing
// is copied back.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "algorithms/tensor_sketch/tensor_sketch_cuda_recurrence.cuh"

namespace concord {
namespace {

using sketch_recurrence::LaunchBlocks;
using sketch_recurrence::LevelMemory;
using sketch_recurrence::Levels;
using sketch_recurrence::LevelsOfBlock;
using sketch_recurrence::NextValue;
using sketch_recurrence::ThreadsByLevel;

__global__ void SketchWithOneWait(SketchProblem problem, int64_t first,
                                  int64_t last, uint64_t* device_levels) {
  const auto [hashes, signs, alphabet_size, t, dim] = problem.tables;
  Levels levels = LevelsOfBlock(problem, device_levels);
  const int k = threadIdx.x;
  const int64_t row = int64_t{k} * dim;
  for (int64_t s = first + blockIdx.x; s < last; s += gridDim.x) {
    StartSequence(problem, levels);
    const int64_t end = problem.offsets[s + 1];
    for (int64_t i = problem.offsets[s]; i < end; ++i) {
      const int letter = problem.letters[i];
      if (letter >= alphabet_size) continue;
      const int hash = hashes[letter * t + k];
      const int sign = signs[letter * t + k];
      for (int l = threadIdx.y; l < dim; l += blockDim.y) {
        levels.after[row + dim + l] =
            NextValue(levels.before + row, l, hash, sign, dim);
      }
      levels.Swap();
      __syncthreads();
    }
    FinishSequence(problem, s, levels);
  }
}

class SingleSync : public TensorSketchOnGpu {
 public:
  explicit SingleSync(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "single_sync"), memory_(backend) {}

  absl::Status Launch(const SketchProblem& problem) override {
    return LaunchBlocks(SketchWithOneWait, problem, ThreadsByLevel(problem), 0,
                        backend_->stream(), &memory_, name_);
  }

 private:
  LevelMemory memory_;
};

const bool kRegistered = RegisterOnGpu<SingleSync>(
    "single_sync", /*rank=*/-3, "the recurrence, one synchronisation a letter",
    sketch_recurrence::RecurrenceContract(
        "takes as long as the longest sequence; version 7 of the article"));

}  // namespace
}  // namespace concord
