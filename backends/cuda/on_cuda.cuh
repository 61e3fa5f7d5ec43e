// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
#define CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
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

  explicit OnCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

 protected:
  using InterfaceOfAlgorithm::name;
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  // Empty until the implementation reserves it.
  Scratch& scratch() { return scratch_; }

  // What BlockOption is set to, or `own`.
  int BlockOr(int own) const {
    const auto block = static_cast<int>(this->tuning("block"));
    return block == 0 ? own : block;
  }

  // Queues a kernel.
  template <typename... Parameters>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     std::common_type_t<Parameters>... arguments) const {
    return QueueKernel(*backend_, name(), kernel, shape, arguments...);
  }

  // Queues a value's copy to the device.
  template <typename T>
  absl::Status Store(const T& value, T* to) const {
    // It is not in page-locked memory, so it has been read when this returns.
    return CudaStatus(cudaMemcpyAsync(to, &value, sizeof(T),
                                      cudaMemcpyHostToDevice, stream()),
                      "storing a result of ", name());
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

// The tuning option of variants that leave the size of a block to the caller.
inline OptionSpec BlockOption() {
  return OptionSpec::Number("block", "threads of a block; 0 is its own choice",
                            /*default_value=*/0, /*least=*/0, /*most=*/1024,
                            /*step=*/32);
}

// Stands at the bottom of an implementation's file, with a class that is
// constructed from a backend:
//
//   const bool kRegistered = RegisterOnCuda<ScanNaive>(
//       "naive", /*rank=*/1, "log2(n) passes", ScanContract().InPlace());
template <typename Implementation>
bool RegisterOnCuda(const char* variant, int rank, const char* summary,
                    Contract contract, Requirement requirement = {},
                    std::vector<OptionSpec> tuning = {}) {
  return Registry<typename Implementation::Interface>::Get()
      .template Add<Implementation>("cuda", variant, rank, summary,
                                    std::move(contract), std::move(requirement),
                                    std::move(tuning));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ON_CUDA_CUH_
