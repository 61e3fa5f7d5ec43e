// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting keys of 4 bytes that come alone in one core's cache: what
// buckets_kernel.h works on.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_

#include <cstdint>

namespace concord::radix_sort {

// Keys that stand together in memory.
struct KeyPiece {
  const std::uint32_t* keys;
  std::int64_t count;
};

// One bucket for each value of a digit that leaves about eight keys a bucket.
// Of keys in the same bucket only the bits below the digit differ: no more than
// 16 are kept. Row r has the r-th rest of each bucket, so that a vector of 32
// rests of a row belongs to 32 buckets, which a sorting network sorts at once.
struct KeyBuckets {
  static constexpr int kRows = 16;
  static constexpr int kMostBits = 13;
  static constexpr int kMostRestBits = 16;
  // At most so many keys a bucket, on average: more than 16 are then in one
  // bucket of a hundred.
  static constexpr std::int64_t kMostMean = 9;
  // Keys whose bucket is full. Where there are more, the keys crowd.
  static constexpr std::int64_t kMostSpilled = 256;

  alignas(64) std::uint16_t rows[kRows << kMostBits];
  // Of each bucket, where in `rows` the next rest goes.
  std::uint32_t next[1 << kMostBits];
  std::uint32_t spilled[kMostSpilled];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_BUCKETS_H_
