// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The published recurrence on the GPU: one block a sequence, the tables T in
// shared memory, each thread some columns of one level of T.
//
// After R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021), versions 3
// to 15, and mended where they differ from the definition: every letter counts,
// also those past the last full load; all columns start from zero; values roll
// up; the integers are exact.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/warp.cuh"
#include "core/registry.h"

namespace concord {
namespace {

// Letters that a block loads at a time.
constexpr int kLoad = 128;
// A warp walks over the columns of a level; more levels than warps take turns.
constexpr int kMostWarps = 8;
// More sequences than that take turns.
constexpr int64_t kMostBlocks = 1 << 16;
// Where shared memory cannot hold the tables, all blocks together get this
// much of the device's, but at least one gets what it needs.
constexpr int64_t kMostTableBytes = int64_t{256} << 20;

struct Problem {
  const uint8_t* letters;
  const int64_t* offsets;
  int64_t sequences;
  const int* hashes;
  const int* signs;
  int alphabet_size, t, dim;
  uint64_t* tables;  // for each block, or null when shared memory holds them
  uint64_t* out;
};

__global__ void Recurrence(Problem problem) {
  extern __shared__ uint64_t shared_tables[];
  __shared__ uint8_t loaded[kLoad];
  const int t = problem.t;
  const int64_t dim = problem.dim;
  const int64_t cells = (t + 1) * dim;
  const int thread = threadIdx.y * kWarpSize + threadIdx.x;
  const int threads = blockDim.y * kWarpSize;
  uint64_t* before = problem.tables == nullptr
                         ? shared_tables
                         : problem.tables + blockIdx.x * 2 * cells;
  uint64_t* after = before + cells;

  for (int64_t i = blockIdx.x; i < problem.sequences; i += gridDim.x) {
    for (int64_t cell = thread; cell < cells; cell += threads) {
      before[cell] = after[cell] = cell == 0;
    }
    const int64_t end = problem.offsets[i + 1];
    for (int64_t first = problem.offsets[i]; first < end; first += kLoad) {
      const int count = min(int64_t{kLoad}, end - first);
      __syncthreads();
      for (int at = thread; at < count; at += threads) {
        loaded[at] = problem.letters[first + at];
      }
      __syncthreads();
      for (int at = 0; at < count; ++at) {
        const int letter = loaded[at];
        if (letter >= problem.alphabet_size) continue;
        for (int k = threadIdx.y; k < t; k += blockDim.y) {
          const int hash = problem.hashes[letter * t + k];
          const bool negative = problem.signs[letter * t + k] < 0;
          const uint64_t* from = before + k * dim;
          for (int l = threadIdx.x; l < dim; l += kWarpSize) {
            const uint64_t rolled = from[l >= hash ? l - hash : l - hash + dim];
            after[(k + 1) * dim + l] =
                from[dim + l] + (negative ? 0 - rolled : rolled);
          }
        }
        uint64_t* const swapped = before;
        before = after;
        after = swapped;
        __syncthreads();
      }
    }
    __syncthreads();
    for (int l = thread; l < dim; l += threads) {
      problem.out[i * dim + l] = before[t * dim + l];
    }
    __syncthreads();
  }
}

class TensorSketchCudaSharedMemory : public TensorSketch {
 public:
  explicit TensorSketchCudaSharedMemory(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) override {
    absl::Status status = CheckTensorSketchArguments(
        letters, offsets, hashes, signs, out, options, backend_->memory(),
        "tensor_sketch/cuda/shared_memory");
    if (!status.ok()) return status;
    status = backend_->Activate();
    if (!status.ok() || out.empty()) return status;

    const int64_t sequences = offsets.size() - 1;
    int64_t blocks = std::min<int64_t>(sequences, kMostBlocks);
    const int64_t table_bytes =
        2 * (int64_t{options.t} + 1) * options.dim * sizeof(uint64_t);
    // The loaded letters stand beside the tables.
    const bool fits =
        table_bytes + kLoad <= backend_->max_shared_memory_per_block();
    if (!fits) {
      blocks =
          std::min(blocks, std::max<int64_t>(1, kMostTableBytes / table_bytes));
      status = Reserve(blocks * table_bytes);
      if (!status.ok()) return status;
    }
    const int shared_bytes = fits ? static_cast<int>(table_bytes) : 0;
    status =
        CudaStatus(cudaFuncSetAttribute(
                       Recurrence, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       shared_bytes),
                   "shared memory for the tables of tensor_sketch");
    if (!status.ok()) return status;
    const dim3 threads(kWarpSize, std::min(options.t, kMostWarps));
    Recurrence<<<static_cast<unsigned>(blocks), threads, shared_bytes,
                 backend_->stream()>>>(
        {letters.data<uint8_t>(), offsets.data<int64_t>(), sequences,
         hashes.data<int>(), signs.data<int>(), options.alphabet_size,
         options.t, options.dim, fits ? nullptr : tables_.data<uint64_t>(),
         out.data<uint64_t>()});
    return LaunchStatus("tensor_sketch/cuda/shared_memory");
  }

 private:
  absl::Status Reserve(int64_t bytes) {
    if (tables_.view().bytes() >= bytes) return absl::OkStatus();
    absl::StatusOr<Array> tables =
        backend_->Allocate(ElementType::kUInt64, bytes / sizeof(uint64_t));
    if (!tables.ok()) return tables.status();
    tables_ = *std::move(tables);
    return absl::OkStatus();
  }

  const std::shared_ptr<CudaBackend> backend_;
  Array tables_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.boundaries = {kLoad};
  contract.notes =
      "takes as long as the longest sequence; tables that shared memory cannot "
      "hold stand in the device's memory";
  return contract;
}

const bool kRegistered = Registry<TensorSketch>::Get().Add(
    "cuda", "shared_memory", /*rank=*/0,
    "the published recurrence, one block a sequence, tables in shared memory",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TensorSketchCudaSharedMemory>(
          AsCuda(std::move(backend)));
    });

}  // namespace
}  // namespace concord
