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
#include "concord/core/implementation.h"

namespace concord {

// Device memory that an implementation keeps from call to call, so that a call
// of no more elements than the largest before it allocates nothing. All zero
// whenever it is new, and when a call has failed since it was reserved last. A
// call that reserves no more than before once again finds what it has put
// there.
class Scratch {
 public:
  explicit Scratch(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  // Room for that many T.
  template <typename T = char>
  absl::Status Reserve(std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
    const bool is_as_left = !failed_calls_.AnyNew();
    if (bytes <= array_.size()) return is_as_left ? absl::OkStatus() : Clear();
    array_ = Array();  // what is given back first can serve the new array
    absl::StatusOr<Array> array =
        backend_->Allocate(ElementType::kUInt8, bytes);
    if (!array.ok()) return array.status();
    array_ = *std::move(array);
    return Clear();
  }

  absl::Status Clear() {
    return CudaStatus(
        cudaMemsetAsync(data(), 0, static_cast<std::size_t>(array_.size()),
                        backend_->stream()),
        "clearing scratch memory");
  }

  // What stands there, from so many bytes on.
  template <typename T = char>
  T* data(std::int64_t at = 0) const {
    return reinterpret_cast<T*>(array_.data<char>() + at);
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  Array array_;
  FailedCalls failed_calls_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_SCRATCH_CUH_
