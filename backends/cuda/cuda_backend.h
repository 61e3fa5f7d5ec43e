// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CUDA_BACKEND_H_
#define CONCORD_BACKENDS_CUDA_CUDA_BACKEND_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/core/backend.h"

// The same declaration as the CUDA runtime's, so that callers who have no CUDA
// code of their own need none of its headers.
typedef struct CUstream_st* cudaStream_t;

namespace concord {

// One GPU and one stream on it. Work is queued on the stream and runs in order;
// Synchronize waits for it.
class CudaBackend : public Backend {
 public:
  // Makes this device the calling thread's current one: launches need it.
  virtual absl::Status Activate() = 0;

  virtual cudaStream_t stream() const = 0;
  virtual int device() const = 0;

  // What kernels are shaped by.
  virtual int multiprocessors() const = 0;
  // 90 for compute capability 9.0.
  virtual int architecture() const = 0;
  // What a block can be given when it asks for it.
  virtual std::int64_t max_shared_memory_per_block() const = 0;

 protected:
  using Backend::Backend;
};

// A backend on a stream that the caller owns and that outlives it. Arrays of
// the caller are used where they are:
//
//   auto backend = WrapCudaStream(stream, /*device=*/0);
//   auto scan = Registry<Scan>::Get().Create(*backend);
//   ConstArrayView in(pointer, n, (*backend)->memory());
//
// Unavailable, with stage and reason, where the device cannot be used, and
// where this program was built without CUDA.
absl::StatusOr<std::shared_ptr<Backend>> WrapCudaStream(cudaStream_t stream,
                                                        int device);

// For implementations registered under "cuda", which are given no other
// backend.
inline std::shared_ptr<CudaBackend> AsCuda(std::shared_ptr<Backend> backend) {
  return std::static_pointer_cast<CudaBackend>(std::move(backend));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUDA_BACKEND_H_
