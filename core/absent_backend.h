// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ABSENT_BACKEND_H_
#define CONCORD_CORE_ABSENT_BACKEND_H_

#include <string>

#include "concord/core/backend.h"

namespace concord {

// Registers the name of a backend that this program was built without, so that
// lists show it, and whoever opens it reads `reason`.
bool RegisterAbsentBackend(const std::string& name, int rank,
                           const std::string& reason);

}  // namespace concord

#endif  // CONCORD_CORE_ABSENT_BACKEND_H_
