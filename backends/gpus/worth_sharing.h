// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_
#define CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_

#include <cstdint>

#include "concord/backends/gpus/gpus_backend.h"

namespace concord {

// Whether members write a result of so many bytes together; otherwise the first
// one does. `least` is the size at which the two take as long, as measured:
// each further member costs its part of the plan and two meetings. Members that
// are one GPU always do: they are there for tests.
inline bool IsWorthSharing(const GpusBackend& backend, std::int64_t bytes,
                           std::int64_t least) {
  if (bytes >= least) return true;
  for (int i = 1; i < backend.members(); ++i) {
    if (backend.member(i)->device() != backend.member(0)->device()) {
      return false;
    }
  }
  return true;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_WORTH_SHARING_H_
