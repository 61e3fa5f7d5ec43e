// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic that defines similar_pairs, for one pair.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_DISTANCE_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_DISTANCE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "concord/core/element_type.h"
#include "concord/core/operators.h"

namespace concord::similar_pairs {

// What sums of squared differences are made of. T is int32, int64, float or
// double.
template <typename T>
struct Squares {
  static constexpr bool kIsExact = std::is_integral_v<T>;
  // Of integers a difference has up to 64 bits and no sign, its square 128.
  using Sum = std::conditional_t<kIsExact, unsigned __int128, double>;

  CONCORD_HOST_DEVICE static Sum Of(T a, T b) {
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
  CONCORD_HOST_DEVICE static bool Add(Sum square, Sum& sum) {
    sum += square;
    return !kIsExact || sum >= square;
  }

  // The float64 next to a sum.
  CONCORD_HOST_DEVICE static double Rounded(Sum sum) {
    if constexpr (kIsExact) {
      const auto high = static_cast<std::uint64_t>(sum >> 64);
      if (high == 0)
        return static_cast<double>(static_cast<std::uint64_t>(sum));
      // More than 60 bits on top, and one for whether any below them is set.
      const int below = std::ilogb(static_cast<double>(high)) + 1;
      const auto top = static_cast<std::uint64_t>(sum >> below);
      const bool any = sum != Sum{top} << below;
      return std::ldexp(static_cast<double>(top | any), below);
    } else {
      return sum;
    }
  }
};

// Whether sketches are within a limit, and how far they are from each other.
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
        fits[r] &= Squares<T>::Add(Squares<T>::Of(a[k], b[r][k]), sums[r]);
      }
    }
    std::uint32_t within = 0;
    for (int r = 0; r < kRows; ++r) {
      if (!fits[r] || !(sums[r] <= limit_)) continue;
      within |= std::uint32_t{1} << r;
      distances[r] = Squares<T>::Rounded(sums[r]);
    }
    return within;
  }

 private:
  using Sum = typename Squares<T>::Sum;

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
