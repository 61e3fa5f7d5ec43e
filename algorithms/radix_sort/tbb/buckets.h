// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting the elements of a part in one core's cache: what buckets_kernel.h
// works on.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/tbb/elements.h"

namespace concord::radix_sort {

// Elements that stand together in memory.
template <typename Element>
struct Piece {
  const Element* elements;
  std::int64_t count;
};

// One bucket for each value of a digit that leaves about eight elements a
// bucket. Row r has the r-th of each bucket, so that a vector of a row belongs
// to as many buckets as it has lanes, which a sorting network sorts at once.
//
// Of keys of 4 bytes that come alone and share a bucket, only the bits below
// the digit differ: no more than 16 are kept, and a vector has 32 of them.
// Other elements are kept whole, pairs in two halves.
template <typename Element>
struct Buckets {
  static constexpr bool kRests = std::is_same_v<Element, std::uint32_t>;
  static constexpr bool kPairs = std::is_same_v<Element, KeyAndValue>;
  using Lane = std::conditional_t<kRests, std::uint16_t, std::uint64_t>;

  static constexpr int kRows = 16;
  static constexpr int kMostBits = kRests ? 13 : 12;
  static constexpr int kMostRestBits = kRests ? 16 : 64;
  // At most so many elements a bucket, on average: more than 16 are then in one
  // bucket of a hundred.
  static constexpr std::int64_t kMostMean = 9;
  // Elements whose bucket is full. Where there are more, they crowd.
  static constexpr std::int64_t kMostSpilled = 256;

  void Put(std::uint32_t place, const Element& element) {
    rows[place] = static_cast<Lane>(KeyBits(element));
    if constexpr (kPairs) values[place] = element.value;
  }

  alignas(64) Lane rows[kRows << kMostBits];
  std::uint64_t values[kPairs ? kRows << kMostBits : 1];
  // Of each bucket, where in `rows` the next one goes.
  std::uint32_t next[1 << kMostBits];
  Element spilled[kMostSpilled];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_
