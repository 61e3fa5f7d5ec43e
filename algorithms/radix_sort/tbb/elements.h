// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements on their way through the sort: where they are read from, and what
// they are in between (sink.h: where they are written). Between the first and
// the last step a key is the unsigned integer that it is mapped to, and its
// value stands beside it, so that there is one array to move and one cache line
// to fill.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"

namespace concord::radix_sort {

// Elements are
//   - the key alone;
//   - a key of up to 4 bytes above a value of 4 bytes, in one integer;
//   - a pair, where that is too narrow.
struct KeyAndValue {
  std::uint64_t key;
  std::uint64_t value;
};

// What elements are sorted by, in an integer of their own width or of 64 bits.
template <typename T>
T KeyBits(T element) {
  return element;
}
inline std::uint64_t KeyBits(const KeyAndValue& element) { return element.key; }
template <typename Element>
std::uint64_t RadixBits(const Element& element) {
  return KeyBits(element);
}

// Values that are given, or are the positions: which are ascending, so that
// whole elements may be compared where equal keys have to keep their order.
template <typename T>
struct GivenValues {
  using Value = T;
  static constexpr bool kAscending = false;
  const T* values;
  T operator[](std::int64_t i) const { return values[i]; }
  template <typename F>
  void ForArrays(const F& f) const {
    f(values);
  }
};
template <typename T>
struct Positions {
  using Value = T;
  static constexpr bool kAscending = true;
  T operator[](std::int64_t i) const { return static_cast<T>(i); }
  template <typename F>
  void ForArrays(const F&) const {}
};

// Element i of the caller's arrays, each of which ForArrays calls f with.
// kOrdered: equal keys of which the elements
// differ have to keep their order, and the elements do not say which it is.
template <typename Bits>
struct KeySource {
  using Element = Bits;
  static constexpr int kKeyShift = 0;
  static constexpr bool kOrdered = false;
  const Bits* keys;
  KeyMap<Bits> map;
  Element operator[](std::int64_t i) const { return map.Map(keys[i]); }
  template <typename F>
  void ForArrays(const F& f) const {
    f(keys);
  }
};

template <typename Bits, typename Values>
struct PairSource {
  static constexpr bool kPacked =
      sizeof(Bits) <= 4 && sizeof(typename Values::Value) == 4;
  using Element = std::conditional_t<kPacked, std::uint64_t, KeyAndValue>;
  static constexpr int kKeyShift = kPacked ? 32 : 0;
  static constexpr bool kOrdered = !kPacked || !Values::kAscending;
  const Bits* keys;
  KeyMap<Bits> map;
  Values values;
  Element operator[](std::int64_t i) const {
    if constexpr (kPacked) {
      return std::uint64_t{map.Map(keys[i])} << 32 | values[i];
    } else {
      return {map.Map(keys[i]), values[i]};
    }
  }
  template <typename F>
  void ForArrays(const F& f) const {
    f(keys);
    values.ForArrays(f);
  }
};

// Element i of an array of elements.
template <typename T>
struct ElementSource {
  using Element = T;
  const T* elements;
  const Element& operator[](std::int64_t i) const { return elements[i]; }
};

// Where an element's key starts among its bits.
template <typename Element>
constexpr int KeyShift(bool has_values) {
  return has_values && std::is_same_v<Element, std::uint64_t> ? 32 : 0;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_
