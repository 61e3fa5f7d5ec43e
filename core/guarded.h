// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_GUARDED_H_
#define CONCORD_CORE_GUARDED_H_

#include <exception>
#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace concord {

// Says so, without a message where there is no memory for one either.
absl::Status OutOfHostMemory() noexcept;

// `f`, which returns a status or a StatusOr, with what it throws as a status:
// nothing that libraries throw crosses our interfaces. Only what returns a
// plain value has no place for a status. It throws std::bad_alloc without
// memory.
template <typename F>
auto Guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return OutOfHostMemory();
  } catch (const std::length_error&) {
    // So many elements that no vector counts them.
    return OutOfHostMemory();
  } catch (const std::exception& exception) {
    return absl::InternalError(exception.what());
  } catch (...) {
    return absl::InternalError("something of no known kind was thrown");
  }
}

}  // namespace concord

#endif  // CONCORD_CORE_GUARDED_H_
