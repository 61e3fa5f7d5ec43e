// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_THRUST_MEMORY_CUH_
#define CONCORD_BACKENDS_CUDA_THRUST_MEMORY_CUH_

#include <thrust/execution_policy.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/array.h"

namespace concord {

// Thrust's temporary memory for the length of a call, from the backend's pool:
// Thrust's own way, cudaMalloc and cudaFree, waits for the device twice.
class ThrustMemory {
 public:
  using value_type = char;

  ThrustMemory(CudaBackend& backend, std::vector<Array>& arrays)
      : backend_(&backend), arrays_(&arrays) {}

  char* allocate(std::ptrdiff_t bytes) {
    absl::StatusOr<Array> array =
        backend_->Allocate(ElementType::kUInt8, bytes);
    if (!array.ok()) throw std::bad_alloc();
    arrays_->push_back(*std::move(array));
    return arrays_->back().data<char>();
  }
  void deallocate(char*, std::size_t) {}

 private:
  CudaBackend* backend_;
  std::vector<Array>* arrays_;
};

// Calls f(policy), with the policy of a caller who knows Thrust: memory of the
// pool, and no wait that the result does not need.
template <typename F>
void WithThrustPolicy(CudaBackend& backend, const F& f) {
  std::vector<Array> arrays;
  ThrustMemory memory(backend, arrays);
  f(thrust::cuda::par_nosync(memory).on(backend.stream()));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_THRUST_MEMORY_CUH_
