// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
#define CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/scratch.cuh"

namespace concord {

// What implementations of an algorithm's interface on a GPU start from.
template <typename Interface>
class OnCuda : public Interface {
 public:
  // `name`, "reduce/cuda/cub", lives as long as the program.
  OnCuda(std::shared_ptr<Backend> backend, const char* name)
      : name_(name), backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

 protected:
  const char* name() const { return name_; }
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  // Empty until the implementation reserves it.
  Scratch& scratch() { return scratch_; }

  // What checking the arguments came to, and then the device made the current
  // one.
  absl::Status Activate(absl::Status checked) const {
    return checked.ok() ? backend_->Activate() : checked;
  }

 private:
  const char* name_;
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
