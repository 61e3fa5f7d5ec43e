// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/registry.h"

namespace concord {

std::string ImplementationInfo::RefusalOn(Backend& opened) const {
  if (!requirement.is_met || requirement.is_met(opened)) return "";
  return absl::StrCat("it needs ", requirement.what);
}

std::string ImplementationInfo::RefusalOn(
    absl::string_view backend_spec) const {
  if (!requirement.is_met) return "";
  absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(backend_spec);
  if (!opened.ok()) return std::string(opened.status().message());
  return RefusalOn(**opened);
}

}  // namespace concord
