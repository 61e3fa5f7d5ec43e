// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/described_bounds.h"

#include <charconv>
#include <iterator>

namespace concord {

std::string Bound::ToString() const {
  // An int64 has up to 20 characters, a float64 up to 24.
  char text[32];
  return std::visit(
      [&](auto bound) {
        return std::string(
            text, std::to_chars(std::begin(text), std::end(text), bound).ptr);
      },
      value_);
}

}  // namespace concord
