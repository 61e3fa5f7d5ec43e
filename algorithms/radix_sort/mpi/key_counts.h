// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_MPI_KEY_COUNTS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_MPI_KEY_COUNTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/core/array.h"

namespace concord::radix_sort {

// What a sort looks at of a key, as a number.
template <typename Bits>
struct Digit {
  KeyMap<Bits> map;
  RadixSortBits bits;

  constexpr std::uint64_t operator()(Bits key) const {
    const int width = bits.end - bits.first;
    if (width == 0) return 0;
    const std::uint64_t mapped = std::uint64_t{map.Map(key)} >> bits.first;
    return width == 64 ? mapped : mapped & ((std::uint64_t{1} << width) - 1);
  }
};

// How many of `size` sorted keys have a smaller digit than `than`.
template <typename Bits>
constexpr std::int64_t CountSmaller(const Bits* keys, std::int64_t size,
                                    const Digit<Bits>& digit,
                                    std::uint64_t than) {
  std::int64_t first = 0;
  while (size > 0) {
    const std::int64_t half = size / 2;
    if (digit(keys[first + half]) < than) {
      first += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return first;
}

// The same for several numbers at a time, where keys are not in host memory.
class KeyCounts {
 public:
  static constexpr char kName[] = "radix_sort_key_counts";

  virtual ~KeyCounts() = default;

  // Room for so many.
  virtual absl::Status Reserve(std::int64_t count) = 0;

  virtual absl::Status Run(ConstArrayView keys, RadixSort::Order order,
                           const RadixSortBits& bits,
                           absl::Span<const std::uint64_t> than,
                           absl::Span<std::int64_t> smaller) = 0;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_MPI_KEY_COUNTS_H_
