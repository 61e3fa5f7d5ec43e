// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_
#define CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_

#include <cuda_runtime.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

// Included by .cu files alone: other compilers do not find CUDA's headers.

namespace concord {

// Ok for cudaSuccess; otherwise an error that says what failed, in words that
// are put together only then, and why. ResourceExhausted when it was for want
// of memory. The runtime, which remembers an error until somebody asks, forgets
// it: the next launch would be taken for what failed.
template <typename... Words>
absl::Status CudaStatus(cudaError_t error, const Words&... what) {
  if (error == cudaSuccess) return absl::OkStatus();
  cudaGetLastError();
  const std::string message =
      absl::StrCat(what..., ": ", cudaGetErrorString(error), " (",
                   cudaGetErrorName(error), ")");
  return error == cudaErrorMemoryAllocation
             ? absl::ResourceExhaustedError(message)
             : absl::InternalError(message);
}

// What became of the launch just made.
inline absl::Status LaunchStatus(absl::string_view kernel) {
  return CudaStatus(cudaGetLastError(), "launch of ", kernel);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUDA_STATUS_H_
