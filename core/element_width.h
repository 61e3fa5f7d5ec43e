// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ELEMENT_WIDTH_H_
#define CONCORD_CORE_ELEMENT_WIDTH_H_

#include <cstdint>

#include "concord/core/element_type.h"

namespace concord {

// For code that depends on the width of elements and on nothing else of their
// type. Calls `f(Word())` for the unsigned integer as wide as elements of
// `type`, and returns its result.
//
// Example:
//   DispatchWidth(view.type(), [&](auto word) {
//     using Word = decltype(word);
//     std::fill_n(static_cast<Word*>(view.data()), view.size(), Word{0});
//   });
template <typename F>
decltype(auto) DispatchWidth(ElementType type, F&& f) {
  switch (SizeOf(type)) {
    case 1:
      return f(std::uint8_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace concord

#endif  // CONCORD_CORE_ELEMENT_WIDTH_H_
