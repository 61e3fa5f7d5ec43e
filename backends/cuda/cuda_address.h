// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CUDA_ADDRESS_H_
#define CONCORD_BACKENDS_CUDA_CUDA_ADDRESS_H_

#include "absl/status/statusor.h"

namespace concord {

// What CUDA knows of an address.
struct CudaAddress {
  enum class Kind {
    kUnknown,  // not in memory of CUDA's
    kHost,     // page-locked memory of the host
    kDevice,   // memory of one GPU
    kManaged,  // memory that moves between the host and GPUs
  };
  Kind kind = Kind::kUnknown;
  int device = 0;  // of kDevice
};

// Takes some tenths of a microsecond. Unavailable where this program was built
// without CUDA.
absl::StatusOr<CudaAddress> LookUpCudaAddress(const void* address);

// At its end the calling thread's current device is again what it was. Nothing,
// without the driver being asked, unless `wanted`.
class KeptCudaDevice {
 public:
  explicit KeptCudaDevice(bool wanted);
  ~KeptCudaDevice();
  KeptCudaDevice(const KeptCudaDevice&) = delete;
  KeptCudaDevice& operator=(const KeptCudaDevice&) = delete;

 private:
  [[maybe_unused]] int device_ = -1;  // not where CUDA is absent
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUDA_ADDRESS_H_
