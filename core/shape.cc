// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace concord {

std::string Shape::ToString() const {
  std::string text = absl::StrCat("[", absl::StrJoin(extents(), ", "), "]");
  if (IsContiguous()) return text;
  return absl::StrCat(text, " with strides [",
                      absl::StrJoin(strides_, strides_ + dimensions_, ", "),
                      "]");
}

}  // namespace concord
