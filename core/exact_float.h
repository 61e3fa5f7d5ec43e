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

// (1 + unit)^roundings - 1 or a little more, within 2 %: expm1 takes longer
// than all else where every prefix of an array has a tolerance.
inline double RelativeError(double roundings, double unit) {
  const double x = roundings * unit;
  // x^3 / 4 is more than all that the series has from x^3 / 6 on.
  return x <= 1 ? x * (1 + x / 2 * (1 + x / 2)) : std::expm1(x);
}

// The error alone, with less work. `value` is the exact sum.
template <typename T>
class ErrorOfSum {
 public:
  void Add(T x) {
    if (std::isnan(x)) has_nan_ = true;
    if (std::isinf(x)) (x > 0 ? has_plus_inf_ : has_minus_inf_) = true;
    if (!std::isfinite(x)) return;
    magnitude_ += std::abs(static_cast<long double>(x));
  }

  bool IsNan() const { return has_nan_ || (has_plus_inf_ && has_minus_inf_); }
  // -1 and 1: a certain infinity, unless it is NaN.
  int Infinity() const { return has_plus_inf_ - has_minus_inf_; }

  double Tolerance(double roundings, long double value) const {
    if (IsNan()) return 0;
    const double half_ulp = std::numeric_limits<T>::epsilon() / 2;
    const double relative = RelativeError(roundings, half_ulp);
    if (magnitude_ * (1 + relative) > std::numeric_limits<T>::max()) {
      return std::numeric_limits<double>::infinity();
    }
    if (Infinity() != 0) return 0;
    // The second term: the value itself is rounded.
    return static_cast<double>(relative * magnitude_ +
                               half_ulp * std::abs(value));
  }

  // How far two computations in T may be apart, of which `value` is one.
  double ToleranceOfTwo(double roundings, T value) const {
    return 2 * Tolerance(roundings, value);
  }

 private:
  long double magnitude_ = 0;
  bool has_nan_ = false;
  bool has_plus_inf_ = false;
  bool has_minus_inf_ = false;
};

template <typename T>
class ExactSum {
 public:
  void Add(T x) {
    error_.Add(x);
    if (!std::isfinite(x)) return;
    // Neumaier's summation: what the addition rounds off is kept.
    const long double sum = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(static_cast<long double>(x))
                 ? (sum_ - sum) + x
                 : (x - sum) + sum_;
    sum_ = sum;
  }

  T value() const {
    using Limits = std::numeric_limits<T>;
    if (error_.IsNan()) return Limits::quiet_NaN();
    if (error_.Infinity() != 0) return error_.Infinity() * Limits::infinity();
    return static_cast<T>(sum_ + lost_);
  }

  double Tolerance(double roundings) const {
    return error_.Tolerance(roundings, sum_);
  }

 private:
  ErrorOfSum<T> error_;
  long double sum_ = 0;
  long double lost_ = 0;
};

// The error alone, as ErrorOfSum.
template <typename T>
class ErrorOfProduct {
 public:
  void Multiply(T x) {
    if (std::isnan(x)) has_nan_ = true;
    if (std::isinf(x)) has_inf_ = true;
    if (x == 0) has_zero_ = true;
    if (!std::isfinite(x) || x == 0) return;
    // Products of whatever subset lie between the two. A limit that has been
    // reached stays so; one less than the type's leaves room for rounding.
    const long double size = std::abs(static_cast<long double>(x));
    if (size > 1 && !may_overflow_) {
      growth_ *= size;
      may_overflow_ = growth_ > kMost;
    } else if (size < 1 && !may_underflow_) {
      decay_ *= size;
      may_underflow_ = decay_ < kLeast;
    }
  }

  bool IsNan() const { return has_nan_ || (has_zero_ && has_inf_); }
  bool HasInfinity() const { return has_inf_; }
  bool HasZero() const { return has_zero_; }

  double Tolerance(double roundings, long double value) const {
    if (IsNan()) return 0;
    if (has_zero_) return may_overflow_ ? kUnknown : 0;
    if (has_inf_) return may_underflow_ ? kUnknown : 0;
    if (may_overflow_ || may_underflow_) return kUnknown;
    return static_cast<double>(Relative(roundings) * std::abs(value));
  }

  double ToleranceOfTwo(double roundings, T value) const {
    // What is exact may be larger than the value, by the value's own error.
    const double relative = Relative(roundings);
    const double most =
        relative < 1 ? std::abs(value) / (1 - relative) : kUnknown;
    return 2 * Tolerance(roundings, most);
  }

 private:
  using Limits = std::numeric_limits<T>;
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  inline static const long double kMost =
      std::ldexp(1.0L, Limits::max_exponent - 1);
  inline static const long double kLeast =
      std::ldexp(1.0L, Limits::min_exponent);

  static double Relative(double roundings) {
    const double half_ulp = Limits::epsilon() / 2;
    // The wider product has roundings, too.
    const double wider = std::numeric_limits<long double>::epsilon();
    return RelativeError(roundings, half_ulp + wider) + half_ulp;
  }

  long double growth_ = 1;
  long double decay_ = 1;
  bool may_overflow_ = false;
  bool may_underflow_ = false;
  bool has_nan_ = false;
  bool has_inf_ = false;
  bool has_zero_ = false;
};

template <typename T>
class ExactProduct {
 public:
  void Multiply(T x) {
    error_.Multiply(x);
    negative_ ^= std::signbit(x);
    if (!std::isfinite(x) || x == 0) return;
    int exponent = 0;
    fraction_ = std::frexp(fraction_ * std::abs(static_cast<long double>(x)),
                           &exponent);
    exponent_ += exponent;
  }

  T value() const {
    using Limits = std::numeric_limits<T>;
    if (error_.IsNan()) return Limits::quiet_NaN();
    T size = Limits::infinity();
    if (error_.HasZero()) {
      size = 0;
    } else if (!error_.HasInfinity()) {
      // Beyond these exponents it is 0 or infinity in any case.
      const std::int64_t exponent = std::min<std::int64_t>(
          std::max<std::int64_t>(exponent_, -10'000), 10'000);
      size = static_cast<T>(std::ldexp(fraction_, static_cast<int>(exponent)));
    }
    return negative_ ? -size : size;
  }

  double Tolerance(double roundings) const {
    return error_.Tolerance(roundings, value());
  }

 private:
  ErrorOfProduct<T> error_;
  // The product is fraction_ * 2^exponent_, apart from its sign.
  long double fraction_ = 1;
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

}  // namespace concord

#endif  // CONCORD_CORE_EXACT_FLOAT_H_
