// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_
#define CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_

#include <cstdint>

#include "concord/backends/gpus/gpus_backend.h"

namespace concord {

// A result that is only written takes as long by one member as by all when it
// has about so many bytes. Predicted: what each further member costs, its part
// of the plan and two meetings, takes some 35 us, in which the first member
// writes 10 MB across a link.
inline constexpr std::int64_t kLeastSharedBytes = std::int64_t{16} << 20;

// Whether members write such a result together; otherwise the first one does.
// Members that are one GPU always do: they are there for tests.
inline bool IsWorthSharing(const GpusBackend& backend, std::int64_t bytes) {
  if (bytes >= kLeastSharedBytes) return true;
  for (int i = 1; i < backend.members(); ++i) {
    if (backend.member(i)->device() != backend.member(0)->device()) {
      return false;
    }
  }
  return true;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_
