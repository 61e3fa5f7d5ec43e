// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/host/host_backend.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// One thread, and nothing that a plain loop does not do.
class SerialBackend : public HostBackend {
 public:
  SerialBackend()
      : HostBackend({"serial", "serial", "", {{"cpu", CpuModel()}}}) {}
};

BackendStatus Probe() {
  BackendStatus status;
  status.name = "serial";
  status.devices = {{"serial", {{"cpu", CpuModel()}}}};
  return status;
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view argument) {
  if (!argument.empty()) {
    return InvalidArgumentError(
        "backend 'serial' takes nothing after a colon, not '", argument, "'");
  }
  return std::make_shared<SerialBackend>();
}

const bool kRegistered = RegisterBackend({"serial", /*rank=*/0, Probe, Open});

}  // namespace
}  // namespace concord
