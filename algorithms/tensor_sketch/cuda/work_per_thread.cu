// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 9 of the article: a thread computes several columns of one level, so
// that it looks up the letter, its hash and its sign once for all of them.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/recurrence.cuh"

namespace concord::tensor_sketch {
namespace {

__global__ void SketchColumns(SketchProblem problem, int64_t first,
                              int64_t last, uint64_t* device_levels) {
  const auto [hashes, signs, alphabet_size, t, dim] = problem.tables;
  Levels<uint64_t> levels = LevelsOfBlock(problem, device_levels);
  for (int64_t row = first + blockIdx.x; row < last; row += gridDim.x) {
    StartRow(problem, levels);
    const int64_t end = problem.rows.ends[row];
    for (int64_t i = problem.rows.begins[row]; i < end; ++i) {
      const int letter = problem.letters[i];
      if (letter >= alphabet_size) continue;
      for (int k = threadIdx.y; k < t; k += blockDim.y) {
        const int hash = hashes[letter * t + k];
        const int sign = signs[letter * t + k];
        const int64_t level = int64_t{k} * dim;
        for (int l = threadIdx.x; l < dim; l += kWarpSize) {
          levels.after[level + dim + l] =
              NextValue(levels.before + level, l, hash, sign, dim);
        }
      }
      levels.Swap();
      __syncthreads();
    }
    FinishRow(problem, row, levels);
  }
}

using WorkPerThread = BlockForEachRow<SketchColumns, WarpForEachLevel>;

const bool kRegistered = RegisterOnCuda<WorkPerThread>(
    "work_per_thread", /*rank=*/-2,
    "the recurrence, a warp for each level, several columns a thread",
    RecurrenceContract(
        "takes as long as the longest sequence; version 9 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
