// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXACT_FLOAT_H_
#define CONCORD_CORE_EXACT_FLOAT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace concord {

// Sums and products of floats for expectations (core/spec.h): the value in a
// wider type, and how far a computation in T may be from it, whatever its
// order. `roundings` is how many there are, at most, on the way of one element
// to a sum; of a product, whose every rounding counts, how many in all. With m
// of them and u half an ULP of 1, an element of a sum, or a product, comes with
// a factor between (1 - u)^m and (1 + u)^m. That bounds the error, unless
// something on the way overflows, or loses digits as a subnormal product: then
// it is infinite, because the order decides whether that happens. It is 0 where
// the result is a certain infinity, zero or NaN.

template <typename T>
class ExactSum {
 public:
  void Add(T x) {
    if (std::isnan(x)) has_nan_ = true;
    if (std::isinf(x)) (x > 0 ? has_plus_inf_ : has_minus_inf_) = true;
    if (!std::isfinite(x)) return;
    // Neumaier's summation: what the addition rounds off is kept.
    const long double sum = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(static_cast<long double>(x))
                 ? (sum_ - sum) + x
                 : (x - sum) + sum_;
    sum_ = sum;
    magnitude_ += std::abs(static_cast<long double>(x));
  }

  T value() const {
    using Limits = std::numeric_limits<T>;
    if (IsNan()) return Limits::quiet_NaN();
    if (has_plus_inf_) return Limits::infinity();
    if (has_minus_inf_) return -Limits::infinity();
    return static_cast<T>(sum_ + lost_);
  }

  double Tolerance(double roundings) const {
    if (IsNan()) return 0;
    const double half_ulp = std::numeric_limits<T>::epsilon() / 2;
    const double relative = std::expm1(roundings * half_ulp);
    if (magnitude_ * (1 + relative) > std::numeric_limits<T>::max()) {
      return std::numeric_limits<double>::infinity();
    }
    if (has_plus_inf_ || has_minus_inf_) return 0;
    // The second term: value() itself is rounded.
    return static_cast<double>(relative * magnitude_ +
                               half_ulp * std::abs(sum_));
  }

 private:
  bool IsNan() const { return has_nan_ || (has_plus_inf_ && has_minus_inf_); }

  long double sum_ = 0;
  long double lost_ = 0;
  long double magnitude_ = 0;
  bool has_nan_ = false;
  bool has_plus_inf_ = false;
  bool has_minus_inf_ = false;
};

template <typename T>
class ExactProduct {
 public:
  void Multiply(T x) {
    negative_ ^= std::signbit(x);
    if (std::isnan(x)) has_nan_ = true;
    if (std::isinf(x)) has_inf_ = true;
    if (x == 0) has_zero_ = true;
    if (!std::isfinite(x) || x == 0) return;
    const long double size = std::abs(static_cast<long double>(x));
    (size > 1 ? growth_ : decay_) += std::abs(std::log2(size));
    int exponent = 0;
    fraction_ = std::frexp(fraction_ * size, &exponent);
    exponent_ += exponent;
  }

  T value() const {
    using Limits = std::numeric_limits<T>;
    if (IsNan()) return Limits::quiet_NaN();
    T size = Limits::infinity();
    if (has_zero_) {
      size = 0;
    } else if (!has_inf_) {
      // Beyond these exponents it is 0 or infinity in any case.
      const std::int64_t exponent = std::min<std::int64_t>(
          std::max<std::int64_t>(exponent_, -10'000), 10'000);
      size = static_cast<T>(std::ldexp(fraction_, static_cast<int>(exponent)));
    }
    return negative_ ? -size : size;
  }

  double Tolerance(double roundings) const {
    using Limits = std::numeric_limits<T>;
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (IsNan()) return 0;
    // Products of whatever subset lie between 2^-decay and 2^growth. One less
    // than the limits leaves room for rounding.
    const bool may_overflow = growth_ > Limits::max_exponent - 1;
    const bool may_underflow = decay_ > -Limits::min_exponent;
    if (has_zero_) return may_overflow ? kUnknown : 0;
    if (has_inf_) return may_underflow ? kUnknown : 0;
    if (may_overflow || may_underflow) return kUnknown;
    const double half_ulp = Limits::epsilon() / 2;
    // The wider product has roundings, too.
    const double wider = std::numeric_limits<long double>::epsilon();
    return (std::expm1(roundings * (half_ulp + wider)) + half_ulp) *
           std::abs(static_cast<double>(value()));
  }

 private:
  bool IsNan() const { return has_nan_ || (has_zero_ && has_inf_); }

  // The product is fraction_ * 2^exponent_, apart from its sign.
  long double fraction_ = 1;
  std::int64_t exponent_ = 0;
  // The factors above and below 1, as sums of |log2|.
  long double growth_ = 0;
  long double decay_ = 0;
  bool negative_ = false;
  bool has_nan_ = false;
  bool has_inf_ = false;
  bool has_zero_ = false;
};

}  // namespace concord

#endif  // CONCORD_CORE_EXACT_FLOAT_H_
