// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for cuda_address.cu in a program that is built without CUDA.

#include "concord/backends/cuda/cuda_address.h"
#include "concord/core/errors.h"

namespace concord {

absl::StatusOr<CudaAddress> LookUpCudaAddress(const void*) {
  return UnavailableError("this program was built without CUDA");
}

}  // namespace concord
