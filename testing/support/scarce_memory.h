// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_
#define CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_

#include <cstdint>

namespace concord {

// While it lives, allocations fail from the k-th on, or that one alone; of all
// threads, and whatever operator new is asked for. scarce_memory.cc replaces it
// for the program.
class Scarcity {
 public:
  Scarcity(std::int64_t k, bool from_then_on);
  ~Scarcity();
  Scarcity(const Scarcity&) = delete;
  Scarcity& operator=(const Scarcity&) = delete;

  // Whether an allocation of the last one has failed.
  static bool HasFailed();
};

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_
