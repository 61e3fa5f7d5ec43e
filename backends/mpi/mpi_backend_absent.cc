// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for mpi_backend.cc in a program that is built without MPI.

#include "concord/core/backend.h"

namespace concord {
namespace {

constexpr char kReason[] =
    "this program was built without MPI; install Open MPI (libopenmpi-dev, "
    "openmpi-bin) and build it again";

BackendStatus Probe() {
  return {"mpi", BackendStage::kNotCompiled, kReason, {}};
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view) {
  return absl::UnavailableError(kReason);
}

const bool kRegistered = RegisterBackend({"mpi", /*rank=*/-5, Probe, Open});

}  // namespace
}  // namespace concord
