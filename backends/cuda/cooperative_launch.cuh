// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A grid whose blocks wait for each other, all of which run at a time
// (cooperative_groups::this_grid().sync()).

#ifndef CONCORD_BACKENDS_CUDA_COOPERATIVE_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_COOPERATIVE_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/launch_config.cuh"
#include "concord/core/errors.h"

namespace concord {

// Queues such a kernel on the backend's stream. The device is active. It is an
// error if not all blocks can run at a time. `what` names it in errors.
template <typename... Parameters>
absl::Status QueueCooperative(const CudaBackend& backend,
                              absl::string_view what,
                              void (*kernel)(Parameters...),
                              const LaunchShape& shape,
                              std::common_type_t<Parameters>... arguments) {
  RETURN_IF_ERROR(PrepareLaunch(kernel, shape, what));
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  const cudaLaunchConfig_t config =
      LaunchConfig(shape, backend.stream(), absl::MakeSpan(&cooperative, 1));
  return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...),
                    "launch of ", what);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_COOPERATIVE_LAUNCH_CUH_
