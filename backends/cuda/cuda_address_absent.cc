// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for cuda_address.cu in a program that is built without CUDA.

#include "concord/backends/cuda/cuda_address.h"
#include "concord/backends/cuda/without_cuda.h"
#include "concord/core/errors.h"

namespace concord {

absl::StatusOr<CudaAddress> LookUpCudaAddress(const void*) {
  return UnavailableError(kWithoutCuda);
}

KeptCudaDevice::KeptCudaDevice(bool) {}

KeptCudaDevice::~KeptCudaDevice() = default;

}  // namespace concord
