// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_AVAILABLE_MEMORY_H_
#define CONCORD_CORE_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

namespace concord {

// The host's memory that this process can use without others having to give
// theirs up. Asking for more may succeed and end the process later.
std::int64_t AvailableMemory();

// "3.1 GiB", "12 KiB".
std::string MemorySize(double bytes);

}  // namespace concord

#endif  // CONCORD_CORE_AVAILABLE_MEMORY_H_
