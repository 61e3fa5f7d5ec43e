// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for cuda_backend.cu in a program that is built without CUDA.

#include "concord/backends/cuda/cuda_backend.h"

namespace concord {
namespace {

constexpr char kReason[] =
    "this program was built without CUDA; install the CUDA toolkit and build "
    "it again";

BackendStatus Probe() {
  return {"cuda", BackendStage::kNotCompiled, kReason, {}};
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view) {
  return absl::UnavailableError(kReason);
}

const bool kRegistered = RegisterBackend({"cuda", /*rank=*/20, Probe, Open});

}  // namespace

absl::StatusOr<std::shared_ptr<Backend>> WrapCudaStream(cudaStream_t, int) {
  return absl::UnavailableError(kReason);
}

}  // namespace concord
