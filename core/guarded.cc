// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/guarded.h"

namespace concord {

absl::Status OutOfHostMemory() noexcept {
  try {
    return absl::ResourceExhaustedError("there is not enough host memory");
  } catch (const std::bad_alloc&) {
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  }
}

}  // namespace concord
