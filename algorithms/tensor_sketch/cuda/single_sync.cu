// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 7 of the article: the two copies of the levels take turns, so that
// the threads wait for each other once a letter instead of twice, and nothing
// is copied back.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/recurrence.cuh"

namespace concord::tensor_sketch {
namespace {

__global__ void SketchWithOneWait(SketchProblem problem, int64_t first,
                                  int64_t last, uint64_t* device_levels) {
  const auto [hashes, signs, alphabet_size, t, dim] = problem.tables;
  Levels<uint64_t> levels = LevelsOfBlock(problem, device_levels);
  const int k = threadIdx.y;
  const int64_t level = int64_t{k} * dim;
  for (int64_t row = first + blockIdx.x; row < last; row += gridDim.x) {
    StartRow(problem, levels);
    const int64_t end = problem.rows.ends[row];
    for (int64_t i = problem.rows.begins[row]; i < end; ++i) {
      const int letter = problem.letters[i];
      if (letter >= alphabet_size) continue;
      const int hash = hashes[letter * t + k];
      const int sign = signs[letter * t + k];
      for (int l = threadIdx.x; l < dim; l += blockDim.x) {
        levels.after[level + dim + l] =
            NextValue(levels.before + level, l, hash, sign, dim);
      }
      levels.Swap();
      __syncthreads();
    }
    FinishRow(problem, row, levels);
  }
}

using SingleSync = BlockForEachRow<SketchWithOneWait, ThreadForEachCell>;

const bool kRegistered = RegisterOnCuda<SingleSync>(
    "single_sync", /*rank=*/-3, "the recurrence, one synchronisation a letter",
    RecurrenceContract(
        "takes as long as the longest sequence; version 7 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
