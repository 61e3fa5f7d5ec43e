// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_OUT_OF_MEMORY_H_
#define CONCORD_CORE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace concord {

// ResourceExhausted. Never throws: without memory for its message it has none.
absl::Status OutOfHostMemory() noexcept;

// What f returns, a Status or a StatusOr; ResourceExhausted where it throws
// because there is no memory.
//
// Example:
//   return CatchOutOfMemory([&] { return spec.RunTyped(...); });
template <typename F>
auto CatchOutOfMemory(const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
    // So many elements that no vector counts them.
  }
  return OutOfHostMemory();
}

}  // namespace concord

#endif  // CONCORD_CORE_OUT_OF_MEMORY_H_
