// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_LAUNCH_CONFIG_CUH_
#define CONCORD_BACKENDS_CUDA_LAUNCH_CONFIG_CUH_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/types/span.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord {

// A launch with attributes, which have to outlive what is returned.
inline cudaLaunchConfig_t LaunchConfig(
    const LaunchShape& shape, cudaStream_t stream,
    absl::Span<cudaLaunchAttribute> attributes) {
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid();
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return config;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_LAUNCH_CONFIG_CUH_
