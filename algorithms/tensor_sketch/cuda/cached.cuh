// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The recurrence from version 10 of the article on: besides the levels, the
// letters stand in shared memory, and from version 11 on the tables of hashes
// and signs too.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_CACHED_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_CACHED_CUH_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "concord/algorithms/tensor_sketch/cuda/recurrence.cuh"

namespace concord::tensor_sketch {

// Letters that a block loads at a time.
inline constexpr int kLoad = 128;

// The same tables in `cache`, which is shared memory for both; complete after
// the next barrier. `AnyTables` is Tables, or has their members as constants.
template <typename AnyTables>
__device__ AnyTables CacheTables(AnyTables tables, int* cache) {
  const int entries = tables.alphabet_size * tables.t;
  for (int i = ThreadInBlock(); i < entries; i += ThreadsOfBlock()) {
    cache[i] = tables.hashes[i];
    cache[entries + i] = tables.signs[i];
  }
  tables.hashes = cache;
  tables.signs = cache + entries;
  return tables;
}

// How many levels and columns lie between those of a thread.
struct Steps {
  int levels, columns;
};

// Takes the letters [from, to) of a row that has begun. `loaded` is shared
// memory for kLoad letters. The normalized cells take the same operations in
// the same order as those of the reference.
template <typename Cell, typename AnyTables>
__device__ __forceinline__ void TakeLetters(const uint8_t* from,
                                            const uint8_t* to,
                                            const AnyTables& tables,
                                            Steps steps, uint8_t* loaded,
                                            Levels<Cell>* levels) {
  int64_t m = 0;  // letters of the alphabet so far
  for (; from < to; from += kLoad) {
    const int count = min(int64_t{kLoad}, int64_t{to - from});
    // All have taken the letters that stand there.
    __syncthreads();
    for (int at = ThreadInBlock(); at < count; at += ThreadsOfBlock()) {
      loaded[at] = from[at];
    }
    __syncthreads();
    for (int at = 0; at < count; ++at) {
      const int letter = loaded[at];
      if (letter >= tables.alphabet_size) continue;
      ++m;
      for (int k = threadIdx.y; k < tables.t; k += steps.levels) {
        const int hash = tables.hashes[letter * tables.t + k];
        const int sign = tables.signs[letter * tables.t + k];
        const int dim = tables.dim;
        const Cell* before = levels->before + int64_t{k} * dim;
        Cell* after = levels->after + int64_t{k} * dim;
        if constexpr (std::is_same_v<Cell, double>) {
          if (k >= m) continue;  // zeros in both copies
          const double all = m;
          const double keep = (all - (k + 1)) / all;
          const double enter = sign * (k + 1) / all;
          for (int l = threadIdx.x; l < dim; l += steps.columns) {
            after[dim + l] = keep * before[dim + l] +
                             enter * before[RolledFrom(l, hash, dim)];
          }
        } else {
          for (int l = threadIdx.x; l < dim; l += steps.columns) {
            after[dim + l] = NextValue(before, l, hash, sign, dim);
          }
        }
      }
      levels->Swap();
      __syncthreads();
    }
  }
}

// Sketches the rows [first, last), all blocks together.
template <typename Cell, typename AnyTables>
__device__ __forceinline__ void SketchRows(const SketchProblem& problem,
                                           int64_t first, int64_t last,
                                           const AnyTables& tables, Steps steps,
                                           uint8_t* loaded,
                                           Levels<Cell> levels) {
  for (int64_t row = first + blockIdx.x; row < last; row += gridDim.x) {
    StartRow(problem, levels);
    TakeLetters(problem.letters + problem.rows.begins[row],
                problem.letters + problem.rows.ends[row], tables, steps, loaded,
                &levels);
    FinishRow(problem, row, levels);
  }
}

// The tables in shared memory, from so many bytes behind its beginning on; or
// where they are, when `tables_at` is negative.
__device__ inline Tables TablesOfBlock(const SketchProblem& problem,
                                       int tables_at) {
  extern __shared__ uint64_t shared_levels[];
  if (tables_at < 0) return problem.tables;
  return CacheTables(problem.tables,
                     reinterpret_cast<int*>(shared_levels) + tables_at / 4);
}

// The kernel of versions 10, 11 and 12, for levels and tables wherever
// CachedMemory has them.
template <typename Cell>
__global__ void SketchCached(SketchProblem problem, int64_t first, int64_t last,
                             uint64_t* device_levels, int tables_at) {
  __shared__ uint8_t loaded[kLoad];
  const Tables tables = TablesOfBlock(problem, tables_at);
  SketchRows(problem, first, last, tables,
             Steps{static_cast<int>(blockDim.y), kWarpSize}, loaded,
             LevelsOfBlock<Cell>(problem, device_levels));
}

inline int64_t TableBytes(const Tables& tables) {
  return int64_t{tables.alphabet_size} * tables.t * 2 * sizeof(int);
}

// Places the levels of the blocks that run SketchCached, and the tables.
class CachedMemory {
 public:
  explicit CachedMemory(std::shared_ptr<CudaBackend> backend)
      : most_shared_bytes_(backend->max_shared_memory_per_block()),
        levels_(std::move(backend)) {}

  // As LevelMemory has it. Without `with_tables`, and where shared memory has
  // no room for them, the tables stay where they are.
  absl::Status Place(const SketchProblem& problem, bool with_tables,
                     int64_t* blocks) {
    const absl::Status status = levels_.Place(problem, kLoad, blocks);
    const int64_t table_bytes = TableBytes(problem.tables);
    shared_bytes_ = levels_.shared_bytes();
    tables_at_ = -1;
    if (with_tables &&
        shared_bytes_ + table_bytes + kLoad <= most_shared_bytes_) {
      tables_at_ = shared_bytes_;
      shared_bytes_ += static_cast<int>(table_bytes);
    }
    return status;
  }

  int shared_bytes() const { return shared_bytes_; }
  int tables_at() const { return tables_at_; }
  uint64_t* OfBlock(int64_t block) const { return levels_.OfBlock(block); }

 private:
  const int64_t most_shared_bytes_;
  LevelMemory levels_;
  int shared_bytes_ = 0;
  int tables_at_ = -1;
};

// A version that runs SketchCached once, with a block for each row.
template <bool kWithTables>
class CachedBlockForEachRow : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) final {
    const auto kernel =
        problem.normalized ? SketchCached<double> : SketchCached<uint64_t>;
    int64_t blocks = problem.rows.count;
    absl::Status status = memory_.Place(problem, kWithTables, &blocks);
    if (!status.ok()) return status;
    return Queue(kernel,
                 {blocks, WarpForEachLevel(problem), memory_.shared_bytes()},
                 problem, 0, problem.rows.count, memory_.OfBlock(0),
                 memory_.tables_at());
  }

 protected:
  bool Normalizes() const final { return true; }

 private:
  CachedMemory memory_{backend()};
};

inline Contract CachedContract(const char* notes) {
  return RecurrenceContract(notes)
      .Types({ElementType::kUInt8, ElementType::kFloat64})
      .Boundaries({kLoad});
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_CACHED_CUH_
