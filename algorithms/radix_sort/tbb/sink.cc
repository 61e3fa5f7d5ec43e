// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/tbb/sink.h"

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/tbb/simd.h"

#define CONCORD_SIMD_FILE "concord/algorithms/radix_sort/tbb/sink_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"
#include "concord/core/element_width.h"

namespace concord::radix_sort {

template <typename Element>
void ElementSink<Element>::Store(std::int64_t first, const Element* elements,
                                 std::int64_t count) const {
  if constexpr (std::is_same_v<Element, KeyAndValue>) {
    DispatchWidth(keys_.type(), [&](auto bits) {
      StoreKeys<decltype(bits)>(first, elements, count);
    });
    StoreValues(first, elements, count);
    return;
  }
  if constexpr (std::is_same_v<Element, std::uint64_t>) {
    if (!values_.empty()) {
      // One byte or four: eight do not fit beside a value.
      if (SizeOf(keys_.type()) == 1) {
        StoreKeys<std::uint8_t>(first, elements, count);
      } else {
        StoreKeys<std::uint32_t>(first, elements, count);
      }
      StoreValues(first, elements, count);
      return;
    }
  }
  if constexpr (!std::is_same_v<Element, KeyAndValue>) {
    StoreKeys<Element>(first, elements, count);
  }
}

template <typename Element>
template <typename Bits>
void ElementSink<Element>::StoreKeys(std::int64_t first,
                                     const Element* elements,
                                     std::int64_t count) const {
  const KeyMap<Bits> map = KeyMapOf<Bits>(keys_.type(), descending_);
  const int shift = KeyShift<Element>(!values_.empty());
  StoreEach(keys_.data<Bits>() + first, elements, count,
            [=](const Element& element) {
              return map.Unmap(static_cast<Bits>(KeyBits(element) >> shift));
            });
}

template <typename Element>
void ElementSink<Element>::StoreValues(std::int64_t first,
                                       const Element* elements,
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

template <typename Element>
template <typename T, typename Project>
void ElementSink<Element>::StoreEach(T* out, const Element* elements,
                                     std::int64_t count,
                                     const Project& project) const {
  const auto store =
      stream_ ? CONCORD_SIMD_CHOOSE(StoreEach<true, T, Element, Project>)
              : CONCORD_SIMD_CHOOSE(StoreEach<false, T, Element, Project>);
  store(elements, count, project, out);
}

template class ElementSink<std::uint8_t>;
template class ElementSink<std::uint32_t>;
template class ElementSink<std::uint64_t>;
template class ElementSink<KeyAndValue>;

}  // namespace concord::radix_sort
