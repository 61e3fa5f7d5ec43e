// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for cuda_backend.cu in a program that is built without CUDA.

#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/without_cuda.h"
#include "concord/core/absent_backend.h"

namespace concord {
namespace {

const bool kRegistered =
    RegisterAbsentBackend("cuda", /*rank=*/20, kWithoutCuda);

}  // namespace

absl::StatusOr<std::shared_ptr<Backend>> WrapCudaStream(cudaStream_t, int) {
  return absl::UnavailableError(kWithoutCuda);
}

}  // namespace concord
