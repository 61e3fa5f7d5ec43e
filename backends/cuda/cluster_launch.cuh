// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CLUSTER_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_CLUSTER_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cluster.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/launch_config.cuh"

namespace concord {

// Queues kernels of one cluster. What the runtime knows of a kernel is kept
// from call to call.
class ClusterLauncher {
 public:
  explicit ClusterLauncher(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  // How many blocks the largest cluster of this kernel has that the device
  // takes: 16, which not every device does, or 8; 0 where there are no
  // clusters, or the program has no code for them. The device is active, and
  // the kernel always has the same shape.
  template <typename... Parameters>
  int MostBlocks(void (*kernel)(Parameters...), const dim3& threads,
                 std::int64_t shared_bytes) {
    const auto* const key = reinterpret_cast<const void*>(kernel);
    const auto known = most_blocks_.find(key);
    if (known != most_blocks_.end()) return known->second;
    return most_blocks_[key] = FindMostBlocks(key, threads, shared_bytes);
  }

  // Queues a kernel on the backend's stream, all blocks of which are one
  // cluster: two or more, up to what `MostBlocks` says. `what` names it in
  // errors.
  template <typename... Parameters>
  absl::Status Queue(absl::string_view what, void (*kernel)(Parameters...),
                     const LaunchShape& shape,
                     std::common_type_t<Parameters>... arguments) {
    cudaLaunchAttribute cluster = OneCluster(shape);
    const cudaLaunchConfig_t config =
        LaunchConfig(shape, backend_->stream(), absl::MakeSpan(&cluster, 1));
    return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...),
                      "launch of ", what);
  }

  // The same for a kernel that waits for the one before it by itself
  // (dependent_launch.cuh).
  template <typename... Parameters>
  absl::Status QueueDependent(absl::string_view what,
                              void (*kernel)(Parameters...),
                              const LaunchShape& shape,
                              std::common_type_t<Parameters>... arguments) {
    cudaLaunchAttribute attributes[] = {OneCluster(shape), StartEarly()};
    const cudaLaunchConfig_t config =
        LaunchConfig(shape, backend_->stream(), absl::MakeSpan(attributes));
    return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...),
                      "launch of ", what);
  }

 private:
  static cudaLaunchAttribute OneCluster(const LaunchShape& shape) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(shape.blocks), 1, 1};
    return attribute;
  }

  int FindMostBlocks(const void* kernel, const dim3& threads,
                     std::int64_t shared_bytes) const {
    cudaFuncAttributes code;
    if (backend_->architecture() < 90 ||
        shared_bytes > backend_->max_shared_memory_per_block() ||
        !TryCuda(cudaFuncGetAttributes(&code, kernel)) ||
        code.ptxVersion < 90 ||
        !AllowSharedMemory(kernel, shared_bytes, "a cluster").ok()) {
      return 0;
    }
    for (const int blocks : {kMostClusterBlocks, kPortableClusterBlocks}) {
      const LaunchShape shape = {blocks, threads, shared_bytes};
      cudaLaunchAttribute cluster = OneCluster(shape);
      const cudaLaunchConfig_t config =
          LaunchConfig(shape, backend_->stream(), absl::MakeSpan(&cluster, 1));
      int clusters = 0;
      if ((blocks <= kPortableClusterBlocks ||
           TryCuda(cudaFuncSetAttribute(
               kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))) &&
          TryCuda(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config)) &&
          clusters > 0) {
        return blocks;
      }
    }
    return 0;
  }

  const std::shared_ptr<CudaBackend> backend_;
  std::map<const void*, int> most_blocks_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CLUSTER_LAUNCH_CUH_
