// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions at the limit of what one can have, for tests.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_LONG_FUNCTION_H_
#define CONCORD_ALGORITHMS_SEQUENCE_LONG_FUNCTION_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace concord::sequence {

// "{ v0 = a - b; v1 = v0 * b; v2 = v1 - b; v2 < 0 }" for 3 operations, one
// after the other, and " < 0" behind the last.
inline std::string LongFunction(absl::string_view a, absl::string_view b,
                                int operations, absl::string_view behind = "") {
  std::string text = "{ ";
  std::string last(a);
  for (int k = 0; k < operations; ++k) {
    const std::string next = absl::StrCat("v", k);
    absl::StrAppend(&text, next, " = ", last, k % 2 == 0 ? " - " : " * ", b,
                    "; ");
    last = next;
  }
  return absl::StrCat(text, last, behind, " }");
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_LONG_FUNCTION_H_
