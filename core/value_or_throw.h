// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_VALUE_OR_THROW_H_
#define CONCORD_CORE_VALUE_OR_THROW_H_

#include <new>
#include <utility>

#include "absl/status/statusor.h"

namespace concord {

// The value of a call that fails only where memory ends; then std::bad_alloc is
// thrown. For constructors and what else has no place for a status, called by
// what is Guarded.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> made) {
  if (!made.ok()) throw std::bad_alloc();
  return *std::move(made);
}

}  // namespace concord

#endif  // CONCORD_CORE_VALUE_OR_THROW_H_
