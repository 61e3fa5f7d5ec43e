// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/checked_size.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/errors.h"

namespace concord {

absl::StatusOr<std::int64_t> CheckedBytes(absl::Span<const std::int64_t> shape,
                                          ElementType type) {
  const auto the_shape = [&] {
    return absl::StrCat("the shape (", absl::StrJoin(shape, ", "), ")");
  };
  std::int64_t bytes = SizeOf(type);
  bool empty = false;
  bool too_large = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      return InvalidArgumentError(the_shape(), " is negative");
    }
    empty = empty || extent == 0;
    too_large = too_large || extent > kMostBytes / bytes;
    if (!too_large) bytes *= std::max<std::int64_t>(extent, 1);
  }
  if (too_large) {
    return ResourceExhaustedError(the_shape(), " of ", Name(type),
                                  " is larger than any memory");
  }
  return empty ? 0 : bytes;
}

}  // namespace concord
