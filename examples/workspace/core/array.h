// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef EXAMPLE_CORE_ARRAY_H_
#define EXAMPLE_CORE_ARRAY_H_

#include <cstdint>

// Concord has a file of this name, too. Nobody has to know: it includes its own
// as "concord/core/array.h".
namespace example {

// The first of at most `count` elements of an array that end with [last].
constexpr std::int64_t FirstOf(std::int64_t count, std::int64_t last) {
  return last < count ? 0 : last - count + 1;
}

}  // namespace example

#endif  // EXAMPLE_CORE_ARRAY_H_
