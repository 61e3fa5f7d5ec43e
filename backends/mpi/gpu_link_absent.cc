// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for gpu_link.cu in a program that is built without CUDA.

#include "concord/backends/cuda/without_cuda.h"
#include "concord/backends/mpi/gpu_link.h"
#include "concord/core/errors.h"

namespace concord {

BackendStatus ProbeGpus() {
  BackendStatus status;
  status.name = "cuda";
  status.stage = BackendStage::kNotCompiled;
  status.reason = kWithoutCuda;
  return status;
}

bool HasGpu() { return false; }

absl::StatusOr<GpuUuid> UuidOf(Backend&) {
  return UnavailableError(kWithoutCuda);
}

absl::StatusOr<GpuWindow> MakeWindow(Backend&, std::int64_t) {
  return UnavailableError(kWithoutCuda);
}

absl::StatusOr<std::shared_ptr<char>> OpenWindow(Backend&, const GpuHandle&) {
  return UnavailableError(kWithoutCuda);
}

absl::Status ShiftOnGpu(Backend&, ArrayView, std::int64_t) {
  return UnavailableError(kWithoutCuda);
}

absl::StatusOr<bool> IsDone(Backend&) { return UnavailableError(kWithoutCuda); }

}  // namespace concord
