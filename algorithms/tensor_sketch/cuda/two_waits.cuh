// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_TWO_WAITS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_TWO_WAITS_CUH_

#include <cstdint>

#include "concord/algorithms/tensor_sketch/cuda/recurrence.cuh"

namespace concord::tensor_sketch {

// The kernel of the article's versions 3, 4 and 5, which differ in how they
// launch it. It takes a letter in two steps: write the new values beside the
// old ones, wait, copy them back, wait. Thread (k, l) computes T[k + 1][l].
static __global__ void SketchWithTwoWaits(SketchProblem problem, int64_t first,
                                          int64_t last,
                                          uint64_t* device_levels) {
  const auto [hashes, signs, alphabet_size, t, dim] = problem.tables;
  const Levels<uint64_t> levels = LevelsOfBlock(problem, device_levels);
  const int k = threadIdx.y;
  uint64_t* const from = levels.before + int64_t{k} * dim;
  uint64_t* const to = levels.after + int64_t{k} * dim;
  for (int64_t row = first + blockIdx.x; row < last; row += gridDim.x) {
    StartRow(problem, levels);
    const int64_t end = problem.rows.ends[row];
    for (int64_t i = problem.rows.begins[row]; i < end; ++i) {
      const int letter = problem.letters[i];
      if (letter >= alphabet_size) continue;
      const int hash = hashes[letter * t + k];
      const int sign = signs[letter * t + k];
      for (int l = threadIdx.x; l < dim; l += blockDim.x) {
        to[dim + l] = NextValue(from, l, hash, sign, dim);
      }
      __syncthreads();
      for (int l = threadIdx.x; l < dim; l += blockDim.x) {
        from[dim + l] = to[dim + l];
      }
      __syncthreads();
    }
    FinishRow(problem, row, levels);
  }
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_TWO_WAITS_CUH_
