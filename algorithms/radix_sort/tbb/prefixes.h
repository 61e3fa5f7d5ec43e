// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which part a key goes to.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/tbb/chunks.h"
#include "concord/algorithms/radix_sort/tbb/local.h"

namespace concord::radix_sort {

// Each part has the keys that start with certain bits: with more of them where
// the keys crowd, as floats do, which are many to each exponent near the
// largest and few near zero. Parts are in the order of the keys. A table, of
// which the few places where keys are stay in the caches, has the part for the
// first bits that vary.
template <typename Key>
class PrefixParts {
 public:
  // The bits that the table looks at, of n keys. Floats in [-1, 1) have a part
  // of 2^-6 of them in a place if the table sees four bits of the mantissa
  // beside the sign and eight bits of the exponent. It takes more bits where
  // the exponent has eleven, and for more keys.
  static int BitsFor(std::int64_t n) {
    if (sizeof(Key) == 4) return 16;
    const int size_bits = 64 - __builtin_clzll(static_cast<std::uint64_t>(n));
    return std::max(16, size_bits - 4);
  }

  // Parts that have at most `limit` keys of the sample, whose bits from `to` on
  // are all the same; the table looks at `bits` bits below. False when there
  // would be more than `most_parts` of them, or `crowded` keys or more in one
  // that cannot be cut further.
  bool Choose(const Key* sample, std::int64_t count, int to, int bits,
              std::int64_t limit, std::int64_t crowded,
              std::int64_t most_parts) {
    shift_ = to - bits;
    mask_ = (std::uint32_t{1} << bits) - 1;
    limit_ = limit;
    crowded_ = crowded;
    most_parts_ = most_parts;
    bits_.clear();
    part_.resize(std::size_t{mask_} + 1);
    std::vector<Key> room(2 * count);
    const Key* const sorted = SortInCache(
        sample, room.data(), room.data() + count, count, shift_, to);
    return Cut(sorted, sorted + count, 0, bits);
  }

  // What to look up in the table.
  BitsDigit bits() const { return {shift_, mask_}; }
  std::int64_t parts() const { return static_cast<std::int64_t>(bits_.size()); }
  const std::uint16_t* table() const { return part_.data(); }
  // All keys of the part agree in the bits from here on.
  int To(std::int64_t part) const { return shift_ + bits_[part]; }

 private:
  // The prefixes [first, first + 2^bits), with which the keys of the sample
  // from `begin` to `end` start.
  bool Cut(const Key* begin, const Key* end, std::uint32_t first, int bits) {
    if (end - begin > limit_ && bits > 0) {
      const std::uint32_t middle = first + (1u << (bits - 1));
      const Key* const cut = std::partition_point(
          begin, end, [&](Key key) { return this->bits()(key) < middle; });
      return Cut(begin, cut, first, bits - 1) &&
             Cut(cut, end, middle, bits - 1);
    }
    if (end - begin >= crowded_ || parts() == most_parts_) return false;
    std::fill_n(part_.begin() + first, 1 << bits,
                static_cast<std::uint16_t>(parts()));
    bits_.push_back(bits);
    return true;
  }

  int shift_ = 0;
  std::uint32_t mask_ = 0;
  std::int64_t limit_ = 0;
  std::int64_t crowded_ = 0;
  std::int64_t most_parts_ = 0;
  std::vector<std::uint16_t> part_;  // of each prefix
  std::vector<int> bits_;            // of a part's prefixes: how many vary
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_PREFIXES_H_
