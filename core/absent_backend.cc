// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/absent_backend.h"

#include <memory>

namespace concord {

bool RegisterAbsentBackend(const std::string& name, int rank,
                           const std::string& reason) {
  return RegisterBackend(
      {name, rank,
       [name, reason] {
         return BackendStatus{name, BackendStage::kNotCompiled, reason, {}};
       },
       [reason](absl::string_view) -> absl::StatusOr<std::shared_ptr<Backend>> {
         return absl::UnavailableError(reason);
       }});
}

}  // namespace concord
