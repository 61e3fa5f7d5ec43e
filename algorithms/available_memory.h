// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_AVAILABLE_MEMORY_H_
#define CONCORD_ALGORITHMS_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

namespace concord {

// For algorithms whose results can be far larger than their inputs: the memory
// that this process can use without others having to give theirs up. Asking for
// more may succeed and end the process later.
std::int64_t AvailableMemory();

// "3.1 GiB", "12 KiB".
std::string MemorySize(double bytes);

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_AVAILABLE_MEMORY_H_
