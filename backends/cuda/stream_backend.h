// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What backends on GPUs are put together from, for other folders of backends.

#ifndef CONCORD_BACKENDS_CUDA_STREAM_BACKEND_H_
#define CONCORD_BACKENDS_CUDA_STREAM_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "concord/backends/cuda/cuda_backend.h"

struct cudaDeviceProp;

namespace concord {

struct StreamBackendParts {
  BackendInfo info;  // facts about the device are added
  int device;
  std::shared_ptr<CUstream_st> stream;
  std::shared_ptr<MemoryPool> pool;
  // Asked before work and after waiting for it: what is wrong with what the
  // backend belongs to. None, where it stands by itself.
  std::function<absl::Status()> health;
};

// Its device is the current one.
absl::StatusOr<std::shared_ptr<CudaBackend>> MakeStreamBackend(
    StreamBackendParts parts);

// On the current device, destroyed after its last user.
absl::StatusOr<std::shared_ptr<CUstream_st>> NewStream();

// Waits for what is queued there. False where that cannot be: the device has
// failed, or its owner is recording the stream into a graph, which waiting
// would spoil.
bool WaitForStream(CUstream_st* stream);

// While it is there, the device is the calling thread's current one, which
// decides what device's default stream a handle of 0 is. For what may be called
// at any time, such as the end of an array. Without a device: whatever becomes
// the current one meanwhile.
class OnDevice {
 public:
  OnDevice();
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

// Of the current device, in bytes; 0 where it does not say.
std::int64_t FreeDeviceMemory();

// How far this machine gets with CUDA. Of devices of one compute capability
// only the first one is made to run our code: all but that one are as they
// were.
BackendStatus ProbeCuda();

// Ok, and the current device, when it exists and can run our code.
absl::Status UseCudaDevice(int device);

Facts FactsOf(const cudaDeviceProp& properties);

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_STREAM_BACKEND_H_
