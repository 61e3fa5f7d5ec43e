// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PARCEL_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PARCEL_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// Arrays of the host, one behind the other in whole vectors, to be sent
// together.
class Parcel {
 public:
  template <typename T>
  std::int64_t Add(const T* values, std::size_t count) {
    const auto at = static_cast<std::int64_t>(bytes_.size());
    const auto* const first = reinterpret_cast<const char*>(values);
    bytes_.insert(bytes_.end(), first, first + count * sizeof(T));
    bytes_.resize((bytes_.size() + kVectorBytes - 1) / kVectorBytes *
                  kVectorBytes);
    return at;
  }
  template <typename T>
  std::int64_t Add(const std::vector<T>& values) {
    return Add(values.data(), values.size());
  }

  absl::Status Send(CudaBackend& backend, Scratch& scratch) const {
    RETURN_IF_ERROR(scratch.Reserve(static_cast<std::int64_t>(size())));
    return CudaStatus(cudaMemcpyAsync(scratch.data(), bytes_.data(), size(),
                                      cudaMemcpyHostToDevice, backend.stream()),
                      "sending the atoms of look_and_say/cuda/atoms");
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
};

// What was added at an offset of a parcel, where it was sent to.
template <typename T>
const T* SentAt(const Scratch& scratch, std::int64_t offset) {
  return reinterpret_cast<const T*>(scratch.data(offset));
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PARCEL_CUH_
