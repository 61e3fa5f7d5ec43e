// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A grid that starts while the one before it in its stream is still running, so
// that it is there when it is needed (programmatic dependent launch, compute
// capability 9.0 and later; before, it starts afterwards like any other).

#ifndef CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord {

// The next grid may start when every block of this one has called it or ended.
__device__ __forceinline__ void LetNextGridStart() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The next grid calls it before it looks at what this one wrote, or writes what
// this one reads.
__device__ __forceinline__ void WaitForGridBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Queues a kernel that waits for the one before it by itself.
template <typename... Parameters>
absl::Status QueueDependent(const CudaBackend& backend, absl::string_view what,
                            void (*kernel)(Parameters...),
                            const LaunchShape& shape,
                            std::common_type_t<Parameters>... arguments) {
  absl::Status status = PrepareLaunch(kernel, shape, what);
  cudaFuncAttributes code;
  status.Update(CudaStatus(cudaFuncGetAttributes(&code, kernel), what));
  if (!status.ok()) return status;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = backend.stream();
  config.attrs = &early;
  // Older code does not wait.
  config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
  return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...),
                    "launch of ", what);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
