// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_PIPELINE_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_PIPELINE_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/registry.h"

namespace concord {

// Has a body only in code for the GPUs that the pipeline is for, as
// `RunPipeline` has.
template <typename = void>
__global__ void PipelineProbe() {}

// What implementations on the pipeline ask of a device.
inline Requirement PipelineRequirement() {
  constexpr std::int64_t kSharedBytes = 227 << 10;
  return {
      "compute capability 9.0 or later, code for it in this program, and "
      "227 KiB of shared memory for a block",
      [](Backend& backend) {
        auto& cuda = static_cast<CudaBackend&>(backend);
        cudaFuncAttributes attributes;
        return cuda.max_shared_memory_per_block() >= kSharedBytes &&
               cuda.Activate().ok() &&
               cudaFuncGetAttributes(&attributes, PipelineProbe<>) ==
                   cudaSuccess &&
               attributes.ptxVersion >= 90;
      }};
}

// Runs jobs on the pipeline of one backend, and keeps what they need from call
// to call. A call is one launch.
class PipelineLauncher {
 public:
  // `name` is the implementation's, for errors.
  PipelineLauncher(std::shared_ptr<CudaBackend> backend, const char* name)
      : backend_(std::move(backend)),
        name_(name),
        memory_{Memory{Scratch(backend_)}, Memory{Scratch(backend_)}} {}

  // Queues the job, whose `in` is aligned and not empty, on the backend's
  // stream. The device is active.
  template <typename Job>
  absl::Status Launch(const Job& job) {
    using L = PipelineLayout<Job>;
    using Word = AggregateWord<typename Job::Aggregate>;
    const std::int64_t tiles =
        (job.in.end + L::kTileElements - 1) / L::kTileElements;
    Memory& memory = memory_[sizeof(Word) > 8 ? 1 : 0];
    absl::Status status = memory.scratch.Reserve(
        kCounterBytes + tiles * static_cast<std::int64_t>(sizeof(Word)));
    if (status.ok() && ++memory.launches % kEpochs == 0) {
      status = memory.scratch.Clear();
    }
    const auto kernel = RunPipeline<Job>;
    if (status.ok()) {
      status = Prepare(reinterpret_cast<const void*>(kernel), L::kSharedBytes);
    }
    if (!status.ok()) return status;

    const auto blocks = static_cast<unsigned>(
        std::min<std::int64_t>(tiles, backend_->multiprocessors()));
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = L::kThreads;
    config.dynamicSmemBytes = L::kSharedBytes;
    config.stream = backend_->stream();
    // Blocks that do not draw their tiles wait for each other: all must run.
    cudaLaunchAttribute cooperative;
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = !L::kDynamicTiles && blocks > 1 ? 1 : 0;
    return CudaStatus(
        cudaLaunchKernelEx(
            &config, kernel, job, static_cast<std::uint32_t>(tiles),
            reinterpret_cast<unsigned long long*>(memory.scratch.data()),
            reinterpret_cast<Word*>(memory.scratch.data() + kCounterBytes)),
        absl::StrCat("launch of ", name_));
  }

 private:
  // The counter of tiles, alone in its cache line, and the words after it.
  static constexpr std::int64_t kCounterBytes = 128;

  struct Memory {
    Scratch scratch;
    std::int64_t launches = 0;
  };

  // Once for each kernel.
  absl::Status Prepare(const void* kernel, int shared_bytes) {
    if (prepared_.count(kernel) > 0) return absl::OkStatus();
    absl::Status status = CudaStatus(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        absl::StrCat("shared memory for ", name_));
    if (status.ok()) prepared_.insert(kernel);
    return status;
  }

  const std::shared_ptr<CudaBackend> backend_;
  const char* const name_;
  // For words of 8 bytes, and of 16: a value among the wide ones must not pass
  // for the flag of a narrow one.
  Memory memory_[2];
  std::set<const void*> prepared_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PIPELINE_LAUNCH_CUH_
