// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic that defines similar_pairs, for one pair.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_DISTANCE_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_DISTANCE_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "concord/core/element_type.h"

namespace concord::similar_pairs {

// Whether sketches are within a limit, and how far they are from each other. T
// is int32, int64, float or double.
template <typename T>
class Distance {
 public:
  // `limit` is one that a run takes.
  Distance(double limit, std::int64_t dim)
      : limit_(static_cast<Sum>(limit)), dim_(dim) {}

  // Bit r is set where `a` and b[r] are within the limit, and distances[r] is
  // then their squared distance. Several at a time are faster, since each sum
  // waits for itself alone.
  template <int kRows>
  std::uint32_t Within(const T* a, const T* const* b, double* distances) const {
    Sum sums[kRows] = {};
    bool fits[kRows];
    std::fill_n(fits, kRows, true);
    for (std::int64_t k = 0; k < dim_; ++k) {
      for (int r = 0; r < kRows; ++r) {
        fits[r] &= Add(Square(a[k], b[r][k]), sums[r]);
      }
    }
    std::uint32_t within = 0;
    for (int r = 0; r < kRows; ++r) {
      if (!fits[r] || !(sums[r] <= limit_)) continue;
      within |= std::uint32_t{1} << r;
      distances[r] = static_cast<double>(sums[r]);
    }
    return within;
  }

 private:
  static constexpr bool kIsExact = std::is_integral_v<T>;
  // Of integers a difference has up to 64 bits and no sign, its square 128.
  using Sum = std::conditional_t<kIsExact, unsigned __int128, double>;

  static Sum Square(T a, T b) {
    if constexpr (kIsExact) {
      using Bits = std::make_unsigned_t<T>;
      const Bits difference = a > b
                                  ? static_cast<Bits>(a) - static_cast<Bits>(b)
                                  : static_cast<Bits>(b) - static_cast<Bits>(a);
      return Sum{difference} * difference;
    } else {
      const double difference = static_cast<double>(a) - static_cast<double>(b);
      return difference * difference;
    }
  }

  // False where an exact sum is 2^128 or more, which is above every limit.
  static bool Add(Sum square, Sum& sum) {
    if constexpr (kIsExact) {
      return !__builtin_add_overflow(sum, square, &sum);
    } else {
      sum += square;
      return true;
    }
  }

  const Sum limit_;
  const std::int64_t dim_;
};

// Calls f(T()) with the type of the elements, which has been checked.
template <typename F>
auto DispatchSketches(ElementType type, F&& f) {
  switch (type) {
    case ElementType::kInt32:
      return f(std::int32_t{});
    case ElementType::kInt64:
      return f(std::int64_t{});
    case ElementType::kFloat32:
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_DISTANCE_H_
