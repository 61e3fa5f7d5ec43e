// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A grid that starts while the one before it in its stream is still running, so
// that it is there when it is needed (programmatic dependent launch, compute
// capability 9.0 and later; before, it starts afterwards like any other).

#ifndef CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/launch_config.cuh"

namespace concord {

// The next grid may start when every block of this one has called it or ended.
__device__ __forceinline__ void LetNextGridStart() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The next grid calls it before it looks at what this one wrote, or writes what
// this one reads. What this one wrote it does not read by __ldg, which takes
// memory for constant as long as a grid is there.
__device__ __forceinline__ void WaitForGridBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// For kernels that have nothing to do before they wait.
__device__ __forceinline__ void StartBesideGridBefore() {
  LetNextGridStart();
  WaitForGridBefore();
}

// What a launch of such a kernel asks for.
inline cudaLaunchAttribute StartEarly() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

// Queues kernels that wait for the one before them by themselves. What the
// runtime knows of a kernel is kept from call to call: asking takes longer than
// a small kernel runs.
class DependentLauncher {
 public:
  explicit DependentLauncher(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  // Queues the kernel on the backend's stream. The device is active. `what`
  // names it in errors.
  template <typename... Parameters>
  absl::Status Queue(absl::string_view what, void (*kernel)(Parameters...),
                     const LaunchShape& shape,
                     std::common_type_t<Parameters>... arguments) {
    Known& known = known_[reinterpret_cast<const void*>(kernel)];
    absl::Status status = shape.Check(what);
    if (status.ok() && known.ptx_version == 0) {
      cudaFuncAttributes code;
      status = CudaStatus(cudaFuncGetAttributes(&code, kernel), what);
      if (status.ok()) known.ptx_version = code.ptxVersion;
    }
    if (status.ok() && shape.shared_bytes > known.shared_bytes) {
      status = PrepareLaunch(kernel, shape, what);
      if (status.ok()) known.shared_bytes = shape.shared_bytes;
    }
    if (!status.ok()) return status;
    cudaLaunchAttribute early = StartEarly();
    // Older code does not wait.
    const cudaLaunchConfig_t config =
        LaunchConfig(shape, backend_->stream(),
                     absl::MakeSpan(&early, known.ptx_version >= 90 ? 1 : 0));
    return CudaStatus(cudaLaunchKernelEx(&config, kernel, arguments...),
                      "launch of ", what);
  }

 private:
  struct Known {
    int ptx_version = 0;
    std::int64_t shared_bytes = 0;  // that it may have
  };

  const std::shared_ptr<CudaBackend> backend_;
  std::map<const void*, Known> known_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
