// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ERRORS_H_
#define CONCORD_CORE_ERRORS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

// How functions that return absl::Status or absl::StatusOr make errors and hand
// them on. The macros have their usual names, without a prefix, so no header
// that users of the library include may include this one.

namespace concord {

// Abseil's errors, of messages in several parts, as absl::StrCat takes them.
#define CONCORD_ERROR_OF_PARTS(Error)           \
  template <typename... Parts>                  \
  absl::Status Error(const Parts&... parts) {   \
    return absl::Error(absl::StrCat(parts...)); \
  }
CONCORD_ERROR_OF_PARTS(DataLossError)
CONCORD_ERROR_OF_PARTS(FailedPreconditionError)
CONCORD_ERROR_OF_PARTS(InternalError)
CONCORD_ERROR_OF_PARTS(InvalidArgumentError)
CONCORD_ERROR_OF_PARTS(NotFoundError)
CONCORD_ERROR_OF_PARTS(OutOfRangeError)
CONCORD_ERROR_OF_PARTS(ResourceExhaustedError)
CONCORD_ERROR_OF_PARTS(UnavailableError)
CONCORD_ERROR_OF_PARTS(UnimplementedError)
#undef CONCORD_ERROR_OF_PARTS

}  // namespace concord

// Returns the absl::Status that the expression gives, unless it is ok.
//
// Example:
//   RETURN_IF_ERROR(backend.Copy(from, to));
#define RETURN_IF_ERROR(...)                             \
  do {                                                   \
    absl::Status status_to_return = (__VA_ARGS__);       \
    if (!status_to_return.ok()) return status_to_return; \
  } while (false)

// Declares or sets the first argument to the value of the absl::StatusOr that
// the rest gives; returns its status if it has none.
//
// Example:
//   ASSIGN_OR_RETURN(const Array scratch, backend.Allocate(type, n));
#define ASSIGN_OR_RETURN(variable, ...) \
  ASSIGN_OR_RETURN_BY(STATUS_OR_OF_LINE(__LINE__), variable, __VA_ARGS__)

#define ASSIGN_OR_RETURN_BY(status_or, variable, ...)        \
  auto status_or = (__VA_ARGS__);                            \
  if (!status_or.ok()) return std::move(status_or).status(); \
  variable = *std::move(status_or)

#define STATUS_OR_OF_LINE(line) STATUS_OR_NAMED(line)
#define STATUS_OR_NAMED(line) status_or_##line

#endif  // CONCORD_CORE_ERRORS_H_
