// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 11 of the article: besides the levels, the letters (its version 10)
// and the tables of hashes and signs stand in shared memory. Here it also does
// what the word counts leave.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <type_traits>

#include "concord/algorithms/tensor_sketch/cuda/recurrence.cuh"

namespace concord::tensor_sketch {
namespace {

// Letters that a block loads at a time.
constexpr int kLoad = 128;

// Copies both tables to shared memory, behind the levels.
__device__ void CacheTables(int* cache, Tables* tables) {
  const int entries = tables->alphabet_size * tables->t;
  for (int i = ThreadInBlock(); i < entries; i += ThreadsOfBlock()) {
    cache[i] = tables->hashes[i];
    cache[entries + i] = tables->signs[i];
  }
  tables->hashes = cache;
  tables->signs = cache + entries;
}

// `tables_at` is where the tables stand in shared memory, in bytes from its
// beginning; negative when they do not fit there. The normalized cells take the
// same operations in the same order as those of the reference.
template <typename Cell>
__global__ void SketchCached(SketchProblem problem, uint64_t* device_levels,
                             int tables_at) {
  __shared__ uint8_t loaded[kLoad];
  extern __shared__ uint64_t shared_levels[];
  Tables tables = problem.tables;
  if (tables_at >= 0) {
    CacheTables(reinterpret_cast<int*>(shared_levels) + tables_at / 4, &tables);
  }
  const auto [hashes, signs, alphabet_size, t, dim] = tables;
  Levels<Cell> levels = LevelsOfBlock<Cell>(problem, device_levels);
  for (int64_t row = blockIdx.x; row < problem.rows.count; row += gridDim.x) {
    StartRow(problem, levels);
    int64_t m = 0;  // letters of the alphabet so far
    const int64_t end = problem.rows.ends[row];
    for (int64_t i = problem.rows.begins[row]; i < end; i += kLoad) {
      const int count = min(int64_t{kLoad}, end - i);
      // All have taken the letters that stand there.
      __syncthreads();
      for (int at = ThreadInBlock(); at < count; at += ThreadsOfBlock()) {
        loaded[at] = problem.letters[i + at];
      }
      __syncthreads();
      for (int at = 0; at < count; ++at) {
        const int letter = loaded[at];
        if (letter >= alphabet_size) continue;
        ++m;
        for (int k = threadIdx.y; k < t; k += blockDim.y) {
          const int hash = hashes[letter * t + k];
          const int sign = signs[letter * t + k];
          const Cell* before = levels.before + int64_t{k} * dim;
          Cell* after = levels.after + int64_t{k} * dim;
          if constexpr (std::is_same_v<Cell, double>) {
            if (k >= m) continue;  // zeros in both copies
            const double all = m;
            const double keep = (all - (k + 1)) / all;
            const double enter = sign * (k + 1) / all;
            for (int l = threadIdx.x; l < dim; l += kWarpSize) {
              after[dim + l] = keep * before[dim + l] +
                               enter * before[RolledFrom(l, hash, dim)];
            }
          } else {
            for (int l = threadIdx.x; l < dim; l += kWarpSize) {
              after[dim + l] = NextValue(before, l, hash, sign, dim);
            }
          }
        }
        levels.Swap();
        __syncthreads();
      }
    }
    FinishRow(problem, row, levels);
  }
}

class Cached : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    const auto kernel =
        problem.normalized ? SketchCached<double> : SketchCached<uint64_t>;
    int64_t blocks = problem.rows.count;
    absl::Status status = memory_.Place(problem, kLoad, &blocks);
    if (!status.ok()) return status;
    const int64_t table_bytes = int64_t{problem.tables.alphabet_size} *
                                problem.tables.t * 2 * sizeof(int);
    int shared_bytes = memory_.shared_bytes();
    int tables_at = -1;
    if (shared_bytes + table_bytes + kLoad <=
        backend()->max_shared_memory_per_block()) {
      tables_at = shared_bytes;
      shared_bytes += static_cast<int>(table_bytes);
    }
    return Queue(kernel, {blocks, WarpForEachLevel(problem), shared_bytes},
                 problem, memory_.OfBlock(0), tables_at);
  }

 protected:
  bool Normalizes() const override { return true; }

 private:
  LevelMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<Cached>(
    "cached", /*rank=*/0,
    "the recurrence with letters, hashes and signs in shared memory",
    RecurrenceContract(
        "takes as long as the longest sequence; version 11 of the article; "
        "what shared memory cannot hold stands in the device's memory")
        .Types({ElementType::kUInt8, ElementType::kFloat64})
        .Boundaries({kLoad}));

}  // namespace
}  // namespace concord::tensor_sketch
