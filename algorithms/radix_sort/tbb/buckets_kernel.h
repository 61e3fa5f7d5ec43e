// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loops of buckets.h, compiled for each target of
// backends/tbb/simd.h. AVX-512 and AVX2 have the vectors.

#include "concord/algorithms/radix_sort/tbb/wholes_avx2_kernel.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES >= 32

// Puts the elements into their buckets. Returns how many are in buckets.spilled
// instead, or -1 when there is no room there.
template <typename Element>
std::int64_t FillBuckets(const Piece<Element>* pieces, std::int64_t count,
                         int bits, int shift, Buckets<Element>& buckets) {
  const std::uint32_t size = std::uint32_t{1} << bits;
  const std::uint32_t end = size * Buckets<Element>::kRows;
  const BitsDigit digit = {shift, size - 1};
  for (std::uint32_t d = 0; d < size; ++d) buckets.next[d] = d;
  std::int64_t spilled = 0;
  // A bucket that is full stays so: what is beyond is spilled.
  const auto put = [&](const Element& element) __attribute__((always_inline)) {
    const std::uint32_t d = digit(element);
    const std::uint32_t place = buckets.next[d];
    if (__builtin_expect(place < end, 1)) {
      buckets.Put(place, element);
      buckets.next[d] = place + size;
    } else {
      if (spilled < Buckets<Element>::kMostSpilled) {
        buckets.spilled[spilled] = element;
      }
      ++spilled;
    }
  };
  for (std::int64_t piece = 0; piece < count; ++piece) {
    const Element* const elements = pieces[piece].elements;
    const std::int64_t n = pieces[piece].count;
    const Element* const ahead =
        count == 1 ? elements + kElementsAhead
                   : pieces[std::min(piece + 8, count - 1)].elements;
    constexpr std::int64_t kLine = Chunk<Element>::kLine;
    std::int64_t i = 0;
    for (; i + kLine <= n; i += kLine) {
      __builtin_prefetch(ahead + i);
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < kLine; ++j) put(elements[i + j]);
    }
    for (; i < n; ++i) put(elements[i]);
    if (spilled > Buckets<Element>::kMostSpilled) return -1;
  }
  return spilled;
}

// Sorts n elements, stably, that agree in all bits from `to` on, by their bits
// from `from` on. Ordered: equal keys have to keep their order, and elements do
// not say which it is. False, and `out` is left as it was, when they are too
// few, too many or too crowded for that. `out` has room for kRows more than
// there are.
template <typename Element, bool kOrdered>
bool SortInBuckets(const Piece<Element>* pieces, std::int64_t count,
                   std::int64_t n, int from, int to, Buckets<Element>& buckets,
                   Element* out) {
  using Groups = std::conditional_t<Buckets<Element>::kRests, RestGroups,
                                    WholeGroups<Element, kOrdered>>;
  int bits = std::max(5, to - Buckets<Element>::kMostRestBits);
  while (n > Buckets<Element>::kMostMean << bits) ++bits;
  // Nearly empty buckets are as much work as others.
  if (bits > std::min(Buckets<Element>::kMostBits, to - from) ||
      n < std::int64_t{2} << bits) {
    return false;
  }
  const int shift = to - bits;
  const std::int64_t spilled = FillBuckets(pieces, count, bits, shift, buckets);
  if (spilled < 0) return false;
  InsertionSort(buckets.spilled, spilled, BitRange(from, to));
  const Element* spill = buckets.spilled;
  const Element* const spill_end = spill + spilled;

  const BitsDigit digit = {shift, (std::uint32_t{1} << bits) - 1};
  const auto less = [from](const Element& a, const Element& b) {
    return KeyBits(a) >> from < KeyBits(b) >> from;
  };
  Groups groups(buckets, pieces[0].elements[0], to, bits);
  for (std::uint32_t first = 0; first < 1u << bits; first += Groups::kGroup) {
    Element* const group = out;
    out = groups.Sort(first, out);
    // They came after those that found a place.
    for (; spill != spill_end && digit(*spill) < first + Groups::kGroup;
         ++spill) {
      Element* const place = std::upper_bound(group, out, *spill, less);
      std::copy_backward(place, out, out + 1);
      *place = *spill;
      ++out;
    }
  }
  return true;
}

#else

template <typename Element, bool kOrdered>
bool SortInBuckets(const Piece<Element>*, std::int64_t, std::int64_t, int, int,
                   Buckets<Element>&, Element*) {
  return false;
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
