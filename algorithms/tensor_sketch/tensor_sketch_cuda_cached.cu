// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 11 of the article: besides the levels, the letters (its version 10)
// and the tables of hashes and signs stand in shared memory. Here it also does
// what the word counts leave.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "algorithms/tensor_sketch/tensor_sketch_cuda_recurrence.cuh"

namespace concord {
namespace {

using sketch_places::Tables;
using sketch_recurrence::kColumnsPerThread;
using sketch_recurrence::LevelMemory;
using sketch_recurrence::Levels;
using sketch_recurrence::LevelsOfBlock;
using sketch_recurrence::NextValue;
using sketch_recurrence::ThreadInBlock;
using sketch_recurrence::ThreadsByColumns;
using sketch_recurrence::ThreadsOfBlock;

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
// beginning; negative when they do not fit there.
__global__ void SketchCached(SketchProblem problem, uint64_t* device_levels,
                             int tables_at) {
  __shared__ uint8_t loaded[kLoad];
  extern __shared__ uint64_t shared_levels[];
  Tables tables = problem.tables;
  if (tables_at >= 0) {
    CacheTables(reinterpret_cast<int*>(shared_levels) + tables_at / 4, &tables);
  }
  const auto [hashes, signs, alphabet_size, t, dim] = tables;
  Levels levels = LevelsOfBlock(problem, device_levels);
  const int k = threadIdx.y;
  const int64_t row = int64_t{k} * dim;
  for (int64_t s = blockIdx.x; s < problem.sequences; s += gridDim.x) {
    StartSequence(problem, levels);
    const int64_t end = problem.offsets[s + 1];
    for (int64_t i = problem.offsets[s]; i < end; i += kLoad) {
      const int count = min(int64_t{kLoad}, end - i);
      for (int at = ThreadInBlock(); at < count; at += ThreadsOfBlock()) {
        loaded[at] = problem.letters[i + at];
      }
      __syncthreads();
      for (int at = 0; at < count; ++at) {
        const int letter = loaded[at];
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
      // Also where the last letters were skipped: the next ones come in.
      __syncthreads();
    }
    FinishSequence(problem, s, levels);
  }
}

class Cached : public TensorSketchOnGpu {
 public:
  explicit Cached(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "cached"), memory_(backend) {}

  absl::Status Launch(const SketchProblem& problem) override {
    const auto kernel = reinterpret_cast<const void*>(SketchCached);
    int64_t blocks = problem.sequences;
    absl::Status status = memory_.Place(problem, kernel, kLoad, &blocks);
    if (!status.ok()) return status;
    const int64_t table_bytes = int64_t{problem.tables.alphabet_size} *
                                problem.tables.t * 2 * sizeof(int);
    int shared_bytes = memory_.shared_bytes();
    int tables_at = -1;
    if (shared_bytes + table_bytes + kLoad <=
        backend_->max_shared_memory_per_block()) {
      tables_at = shared_bytes;
      shared_bytes += static_cast<int>(table_bytes);
      status =
          CudaStatus(cudaFuncSetAttribute(
                         kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         shared_bytes),
                     "shared memory for the tables of tensor_sketch");
      if (!status.ok()) return status;
    }
    SketchCached<<<static_cast<unsigned>(blocks), ThreadsByColumns(problem),
                   shared_bytes, backend_->stream()>>>(
        problem, memory_.OfBlock(0), tables_at);
    return LaunchStatus(name_);
  }

 private:
  LevelMemory memory_;
};

Contract MakeContract() {
  Contract contract = sketch_recurrence::RecurrenceContract(
      "takes as long as the longest sequence; version 11 of the article; what "
      "shared memory cannot hold stands in the device's memory");
  contract.boundaries = {kLoad};
  return contract;
}

const bool kRegistered = RegisterOnGpu<Cached>(
    "cached", /*rank=*/0,
    "the recurrence with letters, hashes and signs in shared memory",
    MakeContract());

}  // namespace
}  // namespace concord
