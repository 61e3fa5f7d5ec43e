// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_HOST_HOST_BACKEND_H_
#define CONCORD_BACKENDS_HOST_HOST_BACKEND_H_

#include <memory>
#include <string>

#include "concord/core/backend.h"

namespace concord {

// What the backends that compute on the CPU have in common: the host's memory,
// a steady clock, and work that is done when the call returns.
class HostBackend : public Backend {
 public:
  absl::Status Synchronize() override { return absl::OkStatus(); }

 protected:
  explicit HostBackend(BackendInfo info);

  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override;
  absl::Status ReadChecked(ConstArrayView data) override;
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override;
};

// "AMD EPYC 9R14", as the system tells it; "unknown CPU" when it does not.
std::string CpuModel();

}  // namespace concord

#endif  // CONCORD_BACKENDS_HOST_HOST_BACKEND_H_
