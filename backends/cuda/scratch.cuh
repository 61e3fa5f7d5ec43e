// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SCRATCH_CUH_
#define CONCORD_BACKENDS_CUDA_SCRATCH_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"

namespace concord {

// Device memory that an implementation keeps from call to call, so that a call
// of no more elements than the largest before it allocates nothing. All zero
// whenever it is new.
class Scratch {
 public:
  explicit Scratch(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Reserve(std::int64_t bytes) {
    if (bytes <= array_.size()) return absl::OkStatus();
    array_ = Array();  // what is given back first can serve the new array
    absl::StatusOr<Array> array =
        backend_->Allocate(ElementType::kUInt8, bytes);
    if (!array.ok()) return array.status();
    array_ = *std::move(array);
    return Clear();
  }

  absl::Status Clear() {
    return CudaStatus(cudaMemsetAsync(data(), 0, bytes(), backend_->stream()),
                      "clearing scratch memory");
  }

  char* data() const { return array_.data<char>(); }
  std::size_t bytes() const { return static_cast<std::size_t>(array_.size()); }

 private:
  std::shared_ptr<CudaBackend> backend_;
  Array array_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_SCRATCH_CUH_
