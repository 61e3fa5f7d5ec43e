// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The published recurrence on the GPU, what its versions have in common: one
// block follows one row, a sequence or a window, letter by letter and keeps two
// copies of the levels T[0] to T[t], in shared memory or, where they do not fit
// there, in the device's memory.
//
// After R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021). His
// versions are mended where they differ from the definition: every letter
// counts, also those past the last full load; all columns start from zero;
// values roll up; the integers are exact, so that his step to single precision
// (V6) has no counterpart here.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "concord/algorithms/tensor_sketch/cuda/run.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::tensor_sketch {

inline constexpr int kMostThreads = 1024;
// More sequences than that take turns.
inline constexpr int64_t kMostBlocks = 1 << 16;
// Where shared memory cannot hold the levels, all blocks together get this much
// of the device's, but at least one gets what it needs.
inline constexpr int64_t kMostLevelBytes = int64_t{256} << 20;

// Two copies of the levels, [t + 1, dim] each. A cell is an uint64_t, or a
// double where sketches are normalized.
template <typename Cell>
struct Levels {
  Cell* before;
  Cell* after;

  __device__ void Swap() {
    Cell* const swapped = before;
    before = after;
    after = swapped;
  }
};

__device__ inline int ThreadInBlock() {
  return threadIdx.y * blockDim.x + threadIdx.x;
}
__device__ inline int ThreadsOfBlock() { return blockDim.x * blockDim.y; }

// `device_levels` is null when shared memory holds the levels.
template <typename Cell = uint64_t>
__device__ Levels<Cell> LevelsOfBlock(const SketchProblem& problem,
                                      uint64_t* device_levels) {
  extern __shared__ uint64_t shared_levels[];
  static_assert(sizeof(Cell) == sizeof(uint64_t));
  const int64_t cells = (problem.tables.t + 1) * int64_t{problem.tables.dim};
  auto* const levels = reinterpret_cast<Cell*>(
      device_levels == nullptr ? shared_levels
                               : device_levels + blockIdx.x * 2 * cells);
  return {levels, levels + cells};
}

// T[0] = (1, 0, ..., 0), the other levels zero, in both copies.
template <typename Cell>
__device__ void StartRow(const SketchProblem& problem,
                         const Levels<Cell>& levels) {
  const int64_t cells = (problem.tables.t + 1) * int64_t{problem.tables.dim};
  for (int64_t i = ThreadInBlock(); i < cells; i += ThreadsOfBlock()) {
    levels.before[i] = levels.after[i] = i == 0;
  }
  __syncthreads();
}

// Writes T[t]. All threads have taken the last letter.
template <typename Cell>
__device__ void FinishRow(const SketchProblem& problem, int64_t row,
                          const Levels<Cell>& levels) {
  const int64_t dim = problem.tables.dim;
  Cell* const sketch = static_cast<Cell*>(problem.out) + row * dim;
  for (int64_t l = ThreadInBlock(); l < dim; l += ThreadsOfBlock()) {
    sketch[l] = levels.before[problem.tables.t * dim + l];
  }
  __syncthreads();
}

__device__ inline int RolledFrom(int l, int hash, int dim) {
  return l >= hash ? l - hash : l - hash + dim;
}

// What a letter makes of T[k + 1][l]: `level` is T[k], and T[k + 1] follows it.
__device__ inline uint64_t NextValue(const uint64_t* level, int l, int hash,
                                     int sign, int dim) {
  const uint64_t rolled = level[RolledFrom(l, hash, dim)];
  return level[dim + l] + (sign < 0 ? 0 - rolled : rolled);
}

// A thread for each cell, as far as a block has threads. Neighbours are in the
// same level, so that they read neighbouring cells: the article's version 8.
inline dim3 ThreadForEachCell(const SketchProblem& problem) {
  const int t = problem.tables.t;
  return dim3(std::min(problem.tables.dim, kMostThreads / t), t);
}

// From version 9 on a thread has several columns of a level: a warp walks over
// the columns, and more levels than warps take turns. The article gave a thread
// six columns in a row; cells of eight bytes then meet in the same banks.
inline dim3 WarpForEachLevel(const SketchProblem& problem) {
  return dim3(kWarpSize, std::min(problem.tables.t, kMostThreads / kWarpSize));
}

// Places the levels of the blocks that run a kernel.
class LevelMemory {
 public:
  explicit LevelMemory(std::shared_ptr<CudaBackend> backend)
      : backend_(backend), scratch_(std::move(backend)) {}

  // For as many as `*blocks` blocks, or fewer, then *blocks becomes fewer.
  // `other_bytes` is the shared memory that the kernel itself declares.
  absl::Status Place(const SketchProblem& problem, int64_t other_bytes,
                     int64_t* blocks) {
    *blocks = std::min(*blocks, kMostBlocks);
    block_cells_ = 2 * (problem.tables.t + 1) * int64_t{problem.tables.dim};
    const int64_t bytes = block_cells_ * sizeof(uint64_t);
    in_shared_ = bytes + other_bytes <= backend_->max_shared_memory_per_block();
    shared_bytes_ = in_shared_ ? static_cast<int>(bytes) : 0;
    if (in_shared_) return absl::OkStatus();
    *blocks = std::min(*blocks, std::max<int64_t>(1, kMostLevelBytes / bytes));
    return scratch_.Reserve(*blocks * bytes);
  }

  int shared_bytes() const { return shared_bytes_; }
  // Null where shared memory holds them.
  uint64_t* OfBlock(int64_t block) const {
    if (in_shared_) return nullptr;
    return scratch_.data<uint64_t>() + block * block_cells_;
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
  int64_t block_cells_ = 0;
  bool in_shared_ = true;
  int shared_bytes_ = 0;
};

// A version that runs one kernel once, with a block for each row.
// `kThreadsFor` is one of those above.
template <void (*kKernel)(SketchProblem problem, int64_t first, int64_t last,
                          uint64_t* device_levels),
          dim3 (*kThreadsFor)(const SketchProblem&)>
class BlockForEachRow : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) final {
    int64_t blocks = problem.rows.count;
    absl::Status status = memory_.Place(problem, 0, &blocks);
    if (!status.ok()) return status;
    return Queue(kKernel,
                 {blocks, kThreadsFor(problem), memory_.shared_bytes()},
                 problem, 0, problem.rows.count, memory_.OfBlock(0));
  }

 private:
  LevelMemory memory_{backend()};
};

inline Contract RecurrenceContract(const char* notes) {
  return Contract().Types({ElementType::kUInt8}).Notes(notes);
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_
