// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Distributing an array by one digit, as one of several threads does it with
// its part of the array.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_TBB_PARTITION_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_TBB_PARTITION_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "algorithms/radix_sort/radix_sort_tbb_elements.h"
#include "backends/tbb/streaming.h"

namespace concord {

// Bits [shift, shift + bits) of an element.
struct Digit {
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
                          std::int64_t last, Digit digit,
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
// gathered, a cache line for each value of the digit, and a line leaves when it
// is full, as one streaming store (J. Wassenberg, P. Sanders, "Engineering a
// multi-core radix sort", Euro-Par 2011).
template <typename Element>
struct alignas(64) GatheredLine {
  static constexpr std::int64_t kElements = 64 / sizeof(Element);
  Element elements[kElements];
};

// Moves the elements [first, last) of the source to out[next[d]], where d is
// their digit, counting next[d] up. `out` starts on a cache line. `lines` has
// a line for each value of the digit. The places in between belong to other
// threads. With kStream, what is written is too much to stay in the caches.
template <bool kStream, typename Source,
          typename Element = typename Source::Element>
void Distribute(const Source& source, std::int64_t first, std::int64_t last,
                Digit digit, std::int64_t* next, std::int64_t* begin,
                GatheredLine<Element>* lines, Element* out) {
  constexpr std::int64_t kLine = GatheredLine<Element>::kElements;
  const auto digits = static_cast<std::int64_t>(digit.count());
  std::copy_n(next, digits, begin);
  for (std::int64_t i = first; i < last; ++i) {
    const Element element = source[i];
    const std::uint64_t d = digit(element);
    const std::int64_t place = next[d]++;
    const std::int64_t slot = place & (kLine - 1);
    lines[d].elements[slot] = element;
    if (slot != kLine - 1) continue;
    const std::int64_t line_first = place - slot;
    if (line_first < begin[d]) {
      std::copy(lines[d].elements + (begin[d] - line_first),
                lines[d].elements + kLine, out + begin[d]);
    } else if (kStream) {
      StreamLine(out + line_first, &lines[d]);
    } else {
      std::memcpy(out + line_first, &lines[d], sizeof(lines[d]));
    }
  }
  for (std::int64_t d = 0; d < digits; ++d) {
    const std::int64_t line_first = next[d] & ~(kLine - 1);
    const std::int64_t rest = std::max(line_first, begin[d]);
    std::copy(lines[d].elements + (rest - line_first),
              lines[d].elements + (next[d] - line_first), out + rest);
  }
  if (kStream) FinishStreaming();
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_TBB_PARTITION_H_
