// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which part a key of 4 bytes goes to.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/tbb/chunks.h"

namespace concord::radix_sort {

// Each part has the keys that start with certain bits: with more of them where
// the keys crowd, as floats do, which are many to each exponent near the
// largest and few near zero. Parts are in the order of the keys. A table, of
// which the few places where keys are stay in the first-level cache, has the
// part for the first kBits bits that vary.
class PrefixParts {
 public:
  static constexpr int kBits = 16;
  static constexpr int kSize = 1 << kBits;

  // Parts that have at most `limit` keys of the sample, whose bits from `to` on
  // are all the same. False when there would be more than `most_parts` of them,
  // or `crowded` keys or more in one that cannot be cut further. to >= kBits.
  bool Choose(const std::uint32_t* sample, std::int64_t count, int to,
              std::int64_t limit, std::int64_t crowded,
              std::int64_t most_parts) {
    shift_ = to - kBits;
    ends_.assign(kSize + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) ++ends_[bits()(sample[i]) + 1];
    for (int i = 0; i < kSize; ++i) ends_[i + 1] += ends_[i];
    bits_.clear();
    part_.resize(kSize);
    return Cut(0, kBits, limit, crowded, most_parts);
  }

  // What to look up in the table.
  BitsDigit bits() const { return {shift_, kSize - 1}; }
  std::int64_t parts() const { return static_cast<std::int64_t>(bits_.size()); }
  const std::uint16_t* table() const { return part_.data(); }
  // All keys of the part agree in the bits from here on.
  int To(std::int64_t part) const { return shift_ + bits_[part]; }

 private:
  // The prefixes [first, first + 2^bits).
  bool Cut(int first, int bits, std::int64_t limit, std::int64_t crowded,
           std::int64_t most_parts) {
    const std::int64_t count = ends_[first + (1 << bits)] - ends_[first];
    if (count > limit && bits > 0) {
      return Cut(first, bits - 1, limit, crowded, most_parts) &&
             Cut(first + (1 << (bits - 1)), bits - 1, limit, crowded,
                 most_parts);
    }
    if (count >= crowded || parts() == most_parts) return false;
    std::fill_n(part_.begin() + first, 1 << bits,
                static_cast<std::uint16_t>(parts()));
    bits_.push_back(bits);
    return true;
  }

  int shift_ = 0;
  std::vector<std::uint16_t> part_;  // of each prefix
  std::vector<int> bits_;            // of a part's prefixes: how many vary
  std::vector<std::int32_t> ends_;   // the sample's keys before each prefix
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_
