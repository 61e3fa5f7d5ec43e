// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include "concord/backends/cuda/cuda_address.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/errors.h"

namespace concord {

absl::StatusOr<CudaAddress> LookUpCudaAddress(const void* address) {
  cudaPointerAttributes attributes = {};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, address);
  if (error == cudaErrorInvalidValue) {
    cudaGetLastError();  // the device is unharmed
    return CudaAddress();
  }
  RETURN_IF_ERROR(CudaStatus(error, "looking up an address"));
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return CudaAddress{CudaAddress::Kind::kHost};
    case cudaMemoryTypeDevice:
      return CudaAddress{CudaAddress::Kind::kDevice, attributes.device};
    case cudaMemoryTypeManaged:
      return CudaAddress{CudaAddress::Kind::kManaged};
    default:
      return CudaAddress();
  }
}

KeptCudaDevice::KeptCudaDevice(bool wanted) {
  if (wanted && !TryCuda(cudaGetDevice(&device_))) device_ = -1;
}

KeptCudaDevice::~KeptCudaDevice() {
  int now = device_;
  if (device_ < 0 || !TryCuda(cudaGetDevice(&now))) return;
  if (now != device_) TryCuda(cudaSetDevice(device_));
}

}  // namespace concord
