// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/environment.h"

#include <vector>

namespace concord {
namespace {

std::vector<EnvironmentCheck>& Checks() {
  static auto* const checks = new std::vector<EnvironmentCheck>;
  return *checks;
}

}  // namespace

bool RegisterEnvironmentCheck(EnvironmentCheck check) {
  Checks().push_back(check);
  return true;
}

absl::Status CheckEnvironment() {
  for (const EnvironmentCheck check : Checks()) {
    absl::Status status = check();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace concord
