// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The published recurrence on the GPU, what its versions have in common: one
// block follows one sequence letter by letter and keeps two copies of the
// levels T[0] to T[t], in shared memory or, where they do not fit there, in the
// device's memory.
//
// After R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021). His
// versions are mended where they differ from the definition: every letter
// counts, also those past the last full load; all columns start from zero;
// values roll up; the integers are exact, so that his step to single precision
// (V6) has no counterpart here.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "algorithms/tensor_sketch/tensor_sketch_cuda_variant.cuh"
#include "backends/cuda/scratch.cuh"

namespace concord {
namespace sketch_recurrence {

inline constexpr int kMostThreads = 1024;
// More sequences than that take turns.
inline constexpr int64_t kMostBlocks = 1 << 16;
// Where shared memory cannot hold the levels, all blocks together get this much
// of the device's, but at least one gets what it needs.
inline constexpr int64_t kMostLevelBytes = int64_t{256} << 20;

// Two copies of the levels, [t + 1, dim] each.
struct Levels {
  uint64_t* before;
  uint64_t* after;

  __device__ void Swap() {
    uint64_t* const swapped = before;
    before = after;
    after = swapped;
  }
};

__device__ inline int ThreadInBlock() {
  return threadIdx.y * blockDim.x + threadIdx.x;
}
__device__ inline int ThreadsOfBlock() { return blockDim.x * blockDim.y; }

// `device_levels` is null when shared memory holds the levels.
__device__ inline Levels LevelsOfBlock(const SketchProblem& problem,
                                       uint64_t* device_levels) {
  extern __shared__ uint64_t shared_levels[];
  const int64_t cells = (problem.tables.t + 1) * int64_t{problem.tables.dim};
  uint64_t* const levels = device_levels == nullptr
                               ? shared_levels
                               : device_levels + blockIdx.x * 2 * cells;
  return {levels, levels + cells};
}

// T[0] = (1, 0, ..., 0), the other levels zero, in both copies.
__device__ inline void StartSequence(const SketchProblem& problem,
                                     const Levels& levels) {
  const int64_t cells = (problem.tables.t + 1) * int64_t{problem.tables.dim};
  for (int64_t i = ThreadInBlock(); i < cells; i += ThreadsOfBlock()) {
    levels.before[i] = levels.after[i] = i == 0;
  }
  __syncthreads();
}

// Writes T[t]. The letters' last synchronisation has been.
__device__ inline void FinishSequence(const SketchProblem& problem,
                                      int64_t sequence, const Levels& levels) {
  const int64_t dim = problem.tables.dim;
  for (int64_t l = ThreadInBlock(); l < dim; l += ThreadsOfBlock()) {
    problem.out[sequence * dim + l] = levels.before[problem.tables.t * dim + l];
  }
  __syncthreads();
}

// What a letter makes of T[k + 1][l]: `level` is T[k], and T[k + 1] follows it.
__device__ inline uint64_t NextValue(const uint64_t* level, int l, int hash,
                                     int sign, int dim) {
  const uint64_t rolled = level[l >= hash ? l - hash : l - hash + dim];
  return level[dim + l] + (sign < 0 ? 0 - rolled : rolled);
}

// Thread (k, l) of the article's first versions: a level for each k, which are
// neighbours, and as many columns as a block has threads for.
inline dim3 ThreadsByLevel(const SketchProblem& problem) {
  const int t = problem.tables.t;
  return dim3(t, std::min(problem.tables.dim, kMostThreads / t));
}

// The later versions: columns of a level are neighbours, so many to a thread.
// The article found six to be best.
inline constexpr int kColumnsPerThread = 6;

inline dim3 ThreadsByColumns(const SketchProblem& problem) {
  const int t = problem.tables.t;
  const auto threads =
      static_cast<int>(DivideUp(problem.tables.dim, kColumnsPerThread));
  return dim3(std::min(threads, kMostThreads / t), t);
}

// Places the levels of the blocks that run a kernel.
class LevelMemory {
 public:
  explicit LevelMemory(std::shared_ptr<CudaBackend> backend)
      : backend_(backend), scratch_(std::move(backend)) {}

  // For as many as `*blocks` blocks, or fewer, then *blocks becomes fewer.
  // `other_bytes` is the shared memory that the kernel itself declares.
  absl::Status Place(const SketchProblem& problem, const void* kernel,
                     int64_t other_bytes, int64_t* blocks) {
    *blocks = std::min(*blocks, kMostBlocks);
    block_cells_ = 2 * (problem.tables.t + 1) * int64_t{problem.tables.dim};
    const int64_t bytes = block_cells_ * sizeof(uint64_t);
    in_shared_ = bytes + other_bytes <= backend_->max_shared_memory_per_block();
    shared_bytes_ = in_shared_ ? static_cast<int>(bytes) : 0;
    absl::Status status = CudaStatus(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_),
        "shared memory for the levels of tensor_sketch");
    if (!status.ok() || in_shared_) return status;
    *blocks = std::min(*blocks, std::max<int64_t>(1, kMostLevelBytes / bytes));
    return scratch_.Reserve(*blocks * bytes);
  }

  int shared_bytes() const { return shared_bytes_; }
  // Null where shared memory holds them.
  uint64_t* OfBlock(int64_t block) const {
    if (in_shared_) return nullptr;
    return reinterpret_cast<uint64_t*>(scratch_.data()) + block * block_cells_;
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
  int64_t block_cells_ = 0;
  bool in_shared_ = true;
  int shared_bytes_ = 0;
};

// A version that runs one kernel once, with a block for each sequence.
template <typename Kernel>
absl::Status LaunchBlocks(Kernel kernel, const SketchProblem& problem,
                          dim3 threads, int64_t other_bytes,
                          cudaStream_t stream, LevelMemory* memory,
                          absl::string_view name) {
  int64_t blocks = problem.sequences;
  absl::Status status = memory->Place(
      problem, reinterpret_cast<const void*>(kernel), other_bytes, &blocks);
  if (!status.ok()) return status;
  kernel<<<static_cast<unsigned>(blocks), threads, memory->shared_bytes(),
           stream>>>(problem, 0, problem.sequences, memory->OfBlock(0));
  return LaunchStatus(name);
}

inline Contract RecurrenceContract(const char* notes) {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.notes = notes;
  return contract;
}

}  // namespace sketch_recurrence
}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_RECURRENCE_CUH_
