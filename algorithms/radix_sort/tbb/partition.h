// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Distributing an array by one digit, as one of several threads does it with
// its part of the array: what kernel.h works on.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_PARTITION_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_PARTITION_H_

#include <cstdint>

#include "concord/algorithms/radix_sort/tbb/elements.h"

namespace concord::radix_sort {

// Bits [shift, shift + bits) of an element.
struct DigitExtractor {
  int shift;
  int bits;

  template <typename Element>
  std::uint64_t operator()(const Element& element) const {
    return RadixBits(element) >> shift & (count() - 1);
  }
  std::uint64_t count() const { return std::uint64_t{1} << bits; }
};

// Adds to counts[d] the elements [first, last) with digit d. Returns the bits
// in which some element differs from `like`.
template <typename Source>
std::uint64_t CountDigits(const Source& source, std::int64_t first,
                          std::int64_t last, DigitExtractor digit,
                          typename Source::Element like, std::int64_t* counts) {
  std::uint64_t varying = 0;
  const std::uint64_t like_bits = RadixBits(like);
  for (std::int64_t i = first; i < last; ++i) {
    const typename Source::Element element = source[i];
    ++counts[digit(element)];
    varying |= RadixBits(element) ^ like_bits;
  }
  return varying;
}

// Writing each element straight to its place would touch a different cache line
// each time, of which memory would be read and written whole. So elements are
// gathered, two cache lines for each value of the digit, which leave when they
// are full, as streaming stores (J. Wassenberg, P. Sanders, "Engineering a
// multi-core radix sort", Euro-Par 2011). Two, because no CPU can foresee when
// they are full.
template <typename Element>
struct alignas(64) GatheredLine {
  static constexpr std::int64_t kBytes = 128;
  static constexpr std::int64_t kElements = kBytes / sizeof(Element);
  Element elements[kElements];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_PARTITION_H_
