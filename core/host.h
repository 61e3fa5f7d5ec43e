// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_HOST_H_
#define CONCORD_CORE_HOST_H_

#include <cstdint>

namespace concord {

// One number for each running system: hosts may have equal names.
std::uint64_t HashOfHost();

}  // namespace concord

#endif  // CONCORD_CORE_HOST_H_
