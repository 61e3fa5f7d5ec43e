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
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/core/implementation.h"

namespace concord {

// Has a body only in code for the GPUs that the pipeline is for, as
// `RunPipeline` has.
template <typename = void>
__global__ void PipelineProbe() {}

// Where a pipeline cuts its work: a tile, and one for each multiprocessor of an
// H100 or H200, from where on blocks have more than one.
inline std::vector<std::int64_t> PipelineBoundaries(
    const std::vector<std::int64_t>& tiles) {
  constexpr std::int64_t kBlocks = 132;
  std::vector<std::int64_t> boundaries;
  for (const std::int64_t tile : tiles) {
    boundaries.push_back(tile);
    boundaries.push_back(kBlocks * tile);
  }
  return boundaries;
}

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
               TryCuda(cudaFuncGetAttributes(&attributes, PipelineProbe<>)) &&
               attributes.ptxVersion >= 90;
      }};
}

// Runs jobs on the pipeline of one backend, and keeps what they need from call
// to call. A call is one launch.
class PipelineLauncher {
 public:
  explicit PipelineLauncher(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)),
        words_{TileWords(backend_), TileWords(backend_)} {}

  // Queues the job, whose `in` is aligned and not empty, on the backend's
  // stream. The device is active. `what` is for errors.
  template <typename Job>
  absl::Status Launch(const Job& job, absl::string_view what) {
    using L = PipelineLayout<Job>;
    using Word = AggregateWord<typename Job::Aggregate>;
    const std::int64_t tiles = DivideUp(job.in.end, L::kTileElements);
    TileWords& words = words_[sizeof(Word) > 8 ? 1 : 0];
    absl::Status status = words.Prepare<Word>(tiles);
    const auto kernel = RunPipeline<Job>;
    const auto* const key = reinterpret_cast<const void*>(kernel);
    if (status.ok() && prepared_.count(key) == 0) {
      status = AllowSharedMemory(kernel, L::kSharedBytes, what);
    }
    if (!status.ok()) return status;
    prepared_.insert(key);

    const auto blocks = static_cast<unsigned>(
        std::min<std::int64_t>(tiles, backend_->multiprocessors()));
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = L::kThreads;
    config.dynamicSmemBytes = L::kSharedBytes;
    config.stream = backend_->stream();
    cudaLaunchAttribute attribute = {};
    if (L::kDynamicTiles || tiles == blocks) {
      // Tiles are drawn, a block's first one always. So those before it are at
      // work, and the grid may start while the one before it still runs.
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
    } else {
      // Blocks wait for each other: all must run.
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    config.attrs = &attribute;
    config.numAttrs = 1;
    return CudaStatus(cudaLaunchKernelEx(&config, kernel, job,
                                         static_cast<std::uint32_t>(tiles),
                                         words.counter(), words.words<Word>()),
                      "launch of ", what);
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  // For words of 8 bytes, and of 16: a value among the wide ones must not pass
  // for the flag of a narrow one.
  TileWords words_[2];
  // The kernels that may have their shared memory.
  std::set<const void*> prepared_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PIPELINE_LAUNCH_CUH_
