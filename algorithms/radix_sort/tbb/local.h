// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting what fits into one core's cache, by one thread.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_LOCAL_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_LOCAL_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "concord/algorithms/radix_sort/tbb/elements.h"

namespace concord::radix_sort {

// More values of a digit than this, and their counts leave the first-level
// cache to the elements no more.
inline constexpr int kMostDigitBits = 11;

// Up to here, moving elements one by one is quicker than counting.
inline constexpr std::int64_t kMostInserted = 24;

// The bits [from, to) of 64.
inline std::uint64_t BitRange(int from, int to) {
  return to == from ? 0 : ~std::uint64_t{0} >> (64 - (to - from)) << from;
}

// Stable; looks at the bits of `range` alone.
template <typename Element>
void InsertionSort(Element* elements, std::int64_t n, std::uint64_t range) {
  for (std::int64_t i = 1; i < n; ++i) {
    const Element element = elements[i];
    const std::uint64_t key = RadixBits(element) & range;
    std::int64_t place = i;
    while (place > 0 && (RadixBits(elements[place - 1]) & range) > key) {
      elements[place] = elements[place - 1];
      --place;
    }
    elements[place] = element;
  }
}

// One pass of the radix sort; false, and nothing is moved, when all elements
// share the digit.
template <typename Element>
bool SortByDigit(const Element* in, Element* out, std::int64_t n, int shift,
                 int bits) {
  std::uint32_t next[1 << kMostDigitBits];
  const int digits = 1 << bits;
  const std::uint64_t mask = static_cast<std::uint64_t>(digits) - 1;
  std::fill_n(next, digits, 0);
  for (std::int64_t i = 0; i < n; ++i) ++next[RadixBits(in[i]) >> shift & mask];
  if (next[RadixBits(in[0]) >> shift & mask] == n) return false;
  std::uint32_t sum = 0;
  for (int digit = 0; digit < digits; ++digit) {
    sum += std::exchange(next[digit], sum);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    out[next[RadixBits(in[i]) >> shift & mask]++] = in[i];
  }
  return true;
}

// How many passes of how many bits a sort by `bits` bits takes, from the
// highest bit down. It need not take all of them: when there are many bits, a
// few more than it takes to count the elements leave few ties, and sorting
// those afterwards costs less than further passes over all elements.
struct LocalPlan {
  int passes;
  int digit_bits;
};

// For arrays of 2^size_bits elements, more or less.
constexpr LocalPlan MakeLocalPlan(int size_bits, int bits) {
  const double n = static_cast<double>(std::int64_t{1} << size_bits);
  LocalPlan best = {0, 0};
  double least = 0;
  for (int passes = 1; passes <= bits; ++passes) {
    for (int digit_bits = 1; digit_bits <= kMostDigitBits; ++digit_bits) {
      const int sorted = passes * digit_bits;
      if (sorted >= bits + digit_bits) break;
      // In units of what moving an element costs. Clearing and summing up the
      // counts goes four at a time.
      double cost =
          passes * (n + static_cast<double>(1 << digit_bits) / 4 + 20);
      if (sorted < bits) {
        // Looking for ties; and sorting those that random keys would leave.
        const double pairs =
            sorted < 40 ? n * n / static_cast<double>(std::int64_t{1} << sorted)
                        : 0;
        cost += n + 10 * pairs;
      }
      if (best.passes != 0 && cost >= least) continue;
      best = {passes, digit_bits};
      least = cost;
    }
  }
  return best;
}

inline constexpr int kMostSizeBits = 20;

struct LocalPlans {
  LocalPlan plans[kMostSizeBits + 1][65];
};
inline const LocalPlans kLocalPlans = [] {
  LocalPlans all{};
  for (int size_bits = 0; size_bits <= kMostSizeBits; ++size_bits) {
    for (int bits = 1; bits <= 64; ++bits) {
      all.plans[size_bits][bits] = MakeLocalPlan(size_bits, bits);
    }
  }
  return all;
}();

inline LocalPlan PlanLocalSort(std::int64_t n, int bits) {
  const int size_bits = 63 - __builtin_clzll(static_cast<std::uint64_t>(n));
  return kLocalPlans.plans[std::min(size_bits, kMostSizeBits)][bits];
}

template <typename Element>
const Element* SortInCache(const Element* elements, Element* a, Element* b,
                           std::int64_t n, int from, int to);

// Sorts elements[0, n), which are in order by their bits [ties_to, to), by
// those below, down to `from`. Room for as many elements at `spare`.
template <typename Element>
void SortTies(Element* elements, Element* spare, std::int64_t n, int from,
              int ties_to, int to) {
  const std::uint64_t tied = BitRange(ties_to, to);
  for (std::int64_t first = 0; first < n;) {
    std::int64_t last = first + 1;
    while (last < n &&
           ((RadixBits(elements[last]) ^ RadixBits(elements[first])) & tied) ==
               0) {
      ++last;
    }
    if (last - first > kMostInserted) {
      Element* const ties = elements + first;
      const Element* const sorted =
          SortInCache(ties, spare + first, ties, last - first, from, ties_to);
      if (sorted != ties) std::copy_n(sorted, last - first, ties);
    } else {
      InsertionSort(elements + first, last - first, BitRange(from, ties_to));
    }
    first = last;
  }
}

// Sorts elements[0, n) by their bits [from, to). They are not changed unless
// `b` is where they stand; `a` and `b` have room for n elements. Returns where
// the sorted ones are: at `elements`, `a` or `b`.
template <typename Element>
const Element* SortInCache(const Element* elements, Element* a, Element* b,
                           std::int64_t n, int from, int to) {
  const std::uint64_t range = BitRange(from, to);
  if (n <= kMostInserted) {
    std::copy_n(elements, n, a);
    InsertionSort(a, n, range);
    return a;
  }
  // Bits that are the same in all keys need no sorting.
  std::uint64_t varying = 0;
  const std::uint64_t first_bits = RadixBits(elements[0]);
  for (std::int64_t i = 0; i < n; ++i) {
    varying |= RadixBits(elements[i]) ^ first_bits;
  }
  varying &= range;
  if (varying == 0) return elements;
  from = __builtin_ctzll(varying);
  to = 64 - __builtin_clzll(varying);

  const LocalPlan plan = PlanLocalSort(n, to - from);
  const int sorted_from = std::max(from, to - plan.passes * plan.digit_bits);
  const Element* in = elements;
  Element* out = a;
  for (int shift = sorted_from; shift < to; shift += plan.digit_bits) {
    const int bits = std::min(plan.digit_bits, to - shift);
    if (!SortByDigit(in, out, n, shift, bits)) continue;
    in = out;
    out = out == a ? b : a;
  }
  if (sorted_from == from) return in;
  // The highest bit varies, so the last pass has moved everything.
  Element* const sorted = out == a ? b : a;
  SortTies(sorted, out, n, from, sorted_from, to);
  return sorted;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_LOCAL_H_
