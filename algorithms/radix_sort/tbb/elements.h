// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements on their way through the sort: where they are read from, what they
// are in between, and where they are written. Between the first and the last
// step a key is the unsigned integer that it is mapped to, and its value stands
// beside it, so that there is one array to move and one cache line to fill.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/array.h"

namespace concord::radix_sort {

// Elements are
//   - the key alone;
//   - a key of up to 4 bytes above a value of 4 bytes, in one integer;
//   - a pair, where that is too narrow.
struct KeyAndValue {
  std::uint64_t key;
  std::uint64_t value;
};

inline std::uint64_t RadixBits(std::uint64_t element) { return element; }
inline std::uint64_t RadixBits(const KeyAndValue& element) {
  return element.key;
}

// Values that are given, or are the positions.
template <typename T>
struct GivenValues {
  using Value = T;
  const T* values;
  T operator[](std::int64_t i) const { return values[i]; }
};
template <typename T>
struct Positions {
  using Value = T;
  T operator[](std::int64_t i) const { return static_cast<T>(i); }
};

// Element i of the caller's arrays.
template <typename Bits>
struct KeySource {
  using Element = Bits;
  const Bits* keys;
  KeyMap<Bits> map;
  Element operator[](std::int64_t i) const { return map.Map(keys[i]); }
};

template <typename Bits, typename Values>
struct PairSource {
  static constexpr bool kPacked =
      sizeof(Bits) <= 4 && sizeof(typename Values::Value) == 4;
  using Element = std::conditional_t<kPacked, std::uint64_t, KeyAndValue>;
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

// The caller's outputs.
template <typename Element>
class ElementSink {
 public:
  ElementSink(ArrayView keys, ArrayView values, bool descending)
      : keys_(keys),
        values_(values),
        descending_(descending),
        // Values are streamed when keys are: it is the same question.
        stream_(keys.bytes() + values.bytes() >= kStreamingBytes) {}

  // Writes elements[0, count) to the places from `first` on.
  void Store(std::int64_t first, const Element* elements,
             std::int64_t count) const {
    if constexpr (std::is_same_v<Element, KeyAndValue>) {
      DispatchWidth(keys_.type(), [&](auto bits) {
        StoreKeys<decltype(bits)>(first, elements, count);
      });
      StoreValues(first, elements, count);
    } else if (!values_.empty()) {
      // One byte or four: eight do not fit beside a value.
      if (SizeOf(keys_.type()) == 1) {
        StoreKeys<std::uint8_t>(first, elements, count);
      } else {
        StoreKeys<std::uint32_t>(first, elements, count);
      }
      StoreValues(first, elements, count);
    } else {
      StoreKeys<Element>(first, elements, count);
    }
  }

  // To be called before another thread is told that the stores are done.
  void Finish() const {
    if (stream_) FinishStreaming();
  }

 private:
  // Small blocks in the first-level cache, from where they are streamed.
  static constexpr std::int64_t kBlock = 256;

  template <typename Bits>
  void StoreKeys(std::int64_t first, const Element* elements,
                 std::int64_t count) const {
    const KeyMap<Bits> map = KeyMapOf<Bits>(keys_.type(), descending_);
    const int shift = KeyShift<Element>(!values_.empty());
    StoreEach(
        keys_.data<Bits>() + first, elements, count,
        [=](const Element& element) {
          return map.Unmap(static_cast<Bits>(RadixBits(element) >> shift));
        });
  }

  void StoreValues(std::int64_t first, const Element* elements,
                   std::int64_t count) const {
    const auto value = [](const Element& element) {
      if constexpr (std::is_same_v<Element, KeyAndValue>) {
        return element.value;
      } else {
        return static_cast<std::uint32_t>(element);
      }
    };
    if (SizeOf(values_.type()) == 8) {
      StoreEach(values_.data<std::uint64_t>() + first, elements, count, value);
    } else {
      StoreEach(values_.data<std::uint32_t>() + first, elements, count, value);
    }
  }

  template <typename T, typename F>
  void StoreEach(T* out, const Element* elements, std::int64_t count,
                 const F& f) const {
    if (!stream_) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<T>(f(elements[i]));
      }
      return;
    }
    alignas(64) T block[kBlock];
    for (std::int64_t done = 0; done < count; done += kBlock) {
      const std::int64_t size = std::min(kBlock, count - done);
      for (std::int64_t i = 0; i < size; ++i) {
        block[i] = static_cast<T>(f(elements[done + i]));
      }
      StreamTo(out + done, block, size * static_cast<std::int64_t>(sizeof(T)));
    }
  }

  ArrayView keys_;
  ArrayView values_;
  bool descending_;
  bool stream_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_ELEMENTS_H_
