// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
#define CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/contract.h"
#include "concord/core/registry.h"

namespace concord {

// What implementations of an algorithm's interface on a GPU start from.
template <typename InterfaceOfAlgorithm>
class OnCuda : public InterfaceOfAlgorithm {
 public:
  using Interface = InterfaceOfAlgorithm;

  // `name`: "reduce/cuda/cub".
  OnCuda(std::shared_ptr<Backend> backend, std::string name)
      : name_(std::move(name)),
        backend_(AsCuda(std::move(backend))),
        scratch_(backend_) {}

 protected:
  const std::string& name() const { return name_; }
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  // Empty until the implementation reserves it.
  Scratch& scratch() { return scratch_; }

  // What checking the arguments came to, and then the device made the current
  // one.
  absl::Status Activate(absl::Status checked) const {
    return checked.ok() ? backend_->Activate() : checked;
  }

  // Queues a kernel.
  template <typename... Parameters>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     std::common_type_t<Parameters>... arguments) const {
    return QueueKernel(*backend_, name_, kernel, shape, arguments...);
  }

  // Queues a value's copy to the device.
  template <typename T>
  absl::Status Store(const T& value, T* to) const {
    // It is not in page-locked memory, so it has been read when this returns.
    return CudaStatus(cudaMemcpyAsync(to, &value, sizeof(T),
                                      cudaMemcpyHostToDevice, stream()),
                      absl::StrCat("storing a result of ", name_));
  }

 private:
  const std::string name_;
  const std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

// Stands at the bottom of an implementation's file, with a class that is
// constructed from a backend and its own name:
//
//   const bool kRegistered = RegisterOnCuda<ScanNaive>(
//       "naive", /*rank=*/1, "log2(n) passes", MakeContract());
template <typename Implementation>
bool RegisterOnCuda(const char* variant, int rank, const char* summary,
                    Contract contract, Requirement requirement = {}) {
  using Interface = typename Implementation::Interface;
  return Registry<Interface>::Get().Add(
      "cuda", variant, rank, summary, std::move(contract),
      [name = absl::StrCat(Interface::kName, "/cuda/", variant)](
          std::shared_ptr<Backend> backend) {
        return std::make_unique<Implementation>(std::move(backend), name);
      },
      std::move(requirement));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
