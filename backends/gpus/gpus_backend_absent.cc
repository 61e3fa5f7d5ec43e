// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for gpus_backend.cu in a program that is built without CUDA.

#include "concord/core/backend.h"

namespace concord {
namespace {

constexpr char kReason[] =
    "this program was built without CUDA; install the CUDA toolkit and build "
    "it again";

BackendStatus Probe() {
  return {"gpus", BackendStage::kNotCompiled, kReason, {}};
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view) {
  return absl::UnavailableError(kReason);
}

const bool kRegistered = RegisterBackend({"gpus", /*rank=*/-10, Probe, Open});

}  // namespace
}  // namespace concord
