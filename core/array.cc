// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/array.h"

#include <functional>

#include "concord/core/errors.h"

namespace concord {

absl::Status CheckType(absl::string_view name, const ConstArrayView& view,
                       ElementType wanted) {
  if (view.type() == wanted) return absl::OkStatus();
  return InvalidArgumentError("'", name, "' must have elements of type ",
                              Name(wanted), ", not ", Name(view.type()));
}

absl::Status CheckSize(absl::string_view name, const ConstArrayView& view,
                       std::int64_t wanted) {
  if (view.size() == wanted) return absl::OkStatus();
  return InvalidArgumentError("'", name, "' must have ", wanted,
                              " elements, not ", view.size());
}

absl::Status CheckMemory(absl::string_view name, const ConstArrayView& view,
                         Memory wanted, absl::string_view where) {
  if (view.memory() == wanted) return absl::OkStatus();
  return InvalidArgumentError(
      "'", name, "' lives in ", view.memory().name(), " memory, but ", where,
      " works on ", wanted.name(), " memory; copy it there with Backend::Copy");
}

absl::Status CheckArray(absl::string_view name, const ConstArrayView& view,
                        Memory wanted, absl::string_view where) {
  const Shape& shape = view.shape();
  if (!shape.IsCountable()) {
    return InvalidArgumentError("'", name, "' cannot have the shape ",
                                shape.ToString());
  }
  if (!shape.IsContiguous()) {
    return InvalidArgumentError("'", name, "' has gaps, its shape is ",
                                shape.ToString(), "; ", where,
                                " takes arrays in C order without any");
  }
  if (view.data() == nullptr && !view.empty()) {
    return InvalidArgumentError("'", name, "' has ", view.size(),
                                " elements and no address");
  }
  return CheckMemory(name, view, wanted, where);
}

bool Overlap(const ConstArrayView& a, const ConstArrayView& b) {
  const auto* const a_begin = a.data<char>();
  const auto* const b_begin = b.data<char>();
  const std::less<const char*> before;
  return !a.empty() && !b.empty() && before(a_begin, b_begin + b.bytes()) &&
         before(b_begin, a_begin + a.bytes());
}

}  // namespace concord
