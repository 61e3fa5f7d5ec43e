// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_
#define CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_

#include <cuda_runtime.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

// Included by .cu files alone: other compilers do not find CUDA's headers.

namespace concord {

// The runtime remembers an error for the thread until somebody asks, and calls
// that succeed do not end that. So nothing here asks what the last error was:
// it may be a caller's own, of long ago. Each call returns what became of it.

// Makes the runtime forget it. For libraries that do ask after their launches,
// as CUB and Thrust do, and would take an older one for theirs.
inline void ForgetOlderError() { cudaGetLastError(); }

// Whether a call succeeded whose failure is an answer, or nobody's concern. The
// runtime forgets it.
inline bool TryCuda(cudaError_t error) {
  if (error == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

// Ok for cudaSuccess; otherwise an error that says what failed, in words that
// are put together only then, and why. ResourceExhausted when it was for want
// of memory. The runtime forgets it.
template <typename... Words>
absl::Status CudaStatus(cudaError_t error, const Words&... what) {
  if (TryCuda(error)) return absl::OkStatus();
  const std::string message =
      absl::StrCat(what..., ": ", cudaGetErrorString(error), " (",
                   cudaGetErrorName(error), ")");
  return error == cudaErrorMemoryAllocation
             ? absl::ResourceExhaustedError(message)
             : absl::InternalError(message);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_
