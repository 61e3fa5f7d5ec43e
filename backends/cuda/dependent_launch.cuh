// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A grid that starts while the one before it in its stream is still running, so
// that it is there when it is needed (programmatic dependent launch, compute
// capability 9.0 and later; before, it starts afterwards like any other).

#ifndef CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_

#include <cuda_runtime.h>

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

template <typename... Parameters, typename... Arguments>
cudaError_t LaunchDependent(void (*kernel)(Parameters...), unsigned blocks,
                            unsigned threads, int shared_bytes,
                            cudaStream_t stream, Arguments... arguments) {
  cudaFuncAttributes code;
  const cudaError_t error = cudaFuncGetAttributes(&code, kernel);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &early;
  // Older code does not wait.
  config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_DEPENDENT_LAUNCH_CUH_
