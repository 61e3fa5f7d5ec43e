// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/array.h"

#include "absl/strings/str_cat.h"

namespace concord {

absl::Status CheckType(absl::string_view name, const ConstArrayView& view,
                       ElementType wanted) {
  if (view.type() == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' must have elements of type ", Name(wanted),
                   ", not ", Name(view.type())));
}

absl::Status CheckSize(absl::string_view name, const ConstArrayView& view,
                       std::int64_t wanted) {
  if (view.size() == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", name, "' must have ", wanted, " elements, not ", view.size()));
}

absl::Status CheckMemory(absl::string_view name, const ConstArrayView& view,
                         Memory wanted, absl::string_view where) {
  if (view.memory() == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' lives in ", view.memory().name(),
                   " memory, but ", where, " works on ", wanted.name(),
                   " memory; copy it there with Backend::Copy"));
}

absl::Status CheckArray(absl::string_view name, const ConstArrayView& view,
                        Memory wanted, absl::string_view where) {
  const Shape& shape = view.shape();
  if (!shape.IsCountable()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", name, "' cannot have the shape ", shape.ToString()));
  }
  if (!shape.IsContiguous()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "' has gaps, its shape is ", shape.ToString(),
                     "; ", where, " takes arrays in C order without any"));
  }
  if (view.data() == nullptr && !view.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", name, "' has ", view.size(), " elements and no address"));
  }
  return CheckMemory(name, view, wanted, where);
}

}  // namespace concord
