// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_KEYS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_KEYS_H_

#include <cstdint>
#include <type_traits>

#include "concord/core/element_type.h"

namespace concord::radix_sort {

// Radix sorts look at keys as unsigned integers. This maps the keys of a type,
// taken as the bits they are, to unsigned integers whose order is the wanted
// one, and back:
//
//   unsigned integers  as they are
//   signed integers    the sign bit flipped
//   floats             the sign bit flipped, and of negative numbers all other
//                      bits too: IEEE 754's totalOrder
//   descending         all bits flipped after that
//
// One formula with two constants does all of it, so that kernels depend on the
// width of the keys and not on their type or order. Default: unsigned integers,
// ascending, which stay as they are.
template <typename Bits>
struct KeyMap {
  static_assert(std::is_unsigned_v<Bits>);

  // The bits that are flipped where the sign bit is set: never the sign bit
  // itself, so that `Fold` is its own inverse.
  Bits if_negative = 0;
  Bits always = 0;

  constexpr Bits Fold(Bits bits) const {
    using Signed = std::make_signed_t<Bits>;
    const auto sign =
        static_cast<Bits>(static_cast<Signed>(bits) >> (8 * sizeof(Bits) - 1));
    return static_cast<Bits>(bits ^ (sign & if_negative));
  }
  constexpr Bits Map(Bits key) const {
    return static_cast<Bits>(Fold(key) ^ always);
  }
  constexpr Bits Unmap(Bits mapped) const {
    return Fold(static_cast<Bits>(mapped ^ always));
  }
};

template <typename Bits>
constexpr KeyMap<Bits> KeyMapOf(ElementType type, bool descending) {
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  constexpr auto kAll = static_cast<Bits>(~Bits{0});
  const bool is_unsigned = type == ElementType::kUInt8 ||
                           type == ElementType::kUInt32 ||
                           type == ElementType::kUInt64;
  KeyMap<Bits> map;
  if (IsFloat(type)) map.if_negative = static_cast<Bits>(~kSign);
  if (!is_unsigned) map.always = kSign;
  if (descending) map.always = static_cast<Bits>(map.always ^ kAll);
  return map;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_KEYS_H_
