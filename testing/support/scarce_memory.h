// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_
#define CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

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

// Which allocation is to fail after the k-th: the next one, and of very many,
// which are made in loops, some.
constexpr std::int64_t NextAllocation(std::int64_t k) {
  return k < 100 ? k + 1 : k + k / 10;
}

// Lets one allocation of `f` after the other fail, until none does: alone, and
// with all that follow. The test fails where f throws, or gives an error that
// is not ResourceExhausted, or does not give OK afterwards, or leaves files
// open.
void ExpectStatusWithoutMemory(const std::function<absl::Status()>& f);

// A call, and what it is called where it fails a test.
struct NamedCall {
  std::string name;
  std::function<absl::Status()> make;
};
using NamedCalls = std::vector<NamedCall>;

// The same of each of these, of which some are refused: with memory each gives
// what it gave before, be it OK or an error in the same words.
void ExpectSameWithoutMemory(const NamedCalls& calls);

// f(copy), for what is given by value: to make the copy is the caller's
// business, and so is its failure.
template <typename T, typename F>
absl::Status WithCopyOf(const T& argument, const F& f) {
  std::optional<T> copy;
  try {
    copy = argument;
  } catch (const std::bad_alloc&) {
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  }
  return f(*std::move(copy));
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_SCARCE_MEMORY_H_
