// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What operations on elements give, once more and plainly: nothing here uses
// core/expression or core/operators.h, which are under test.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace concord::sequence::plain {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

// Integers wrap: they are computed with in 128 bits and cut.
template <typename T>
T Cut(UnsignedWide value) {
  return static_cast<T>(value);
}
template <typename T>
T Add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  return Cut<T>(static_cast<UnsignedWide>(a) + static_cast<UnsignedWide>(b));
}
template <typename T>
T Subtract(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a - b;
  return Cut<T>(static_cast<UnsignedWide>(a) - static_cast<UnsignedWide>(b));
}
template <typename T>
T Multiply(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a * b;
  return Cut<T>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
}
template <typename T>
T Divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a / b;
  if (b == T{0}) return 0;
  return static_cast<T>(static_cast<Wide>(a) / static_cast<Wide>(b));
}
template <typename T>
T Remainder(T a, T b) {
  if (b == 0) return a;
  return static_cast<T>(static_cast<Wide>(a) % static_cast<Wide>(b));
}
template <typename T>
T Negate(T a) {
  if constexpr (std::is_floating_point_v<T>) return -a;
  return Subtract(T{0}, a);
}
template <typename T>
T Abs(T a) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
  return a < T{0} ? Negate(a) : a;
}

template <typename T>
bool IsNan(T a) {
  return a != a;
}
// Whether a comes before b: -0.0 before 0.0.
template <typename T>
bool Before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}
template <typename T>
T Min(T a, T b) {
  if (IsNan(a) || IsNan(b)) return IsNan(a) ? a : b;
  return Before(b, a) ? b : a;
}
template <typename T>
T Max(T a, T b) {
  if (IsNan(a) || IsNan(b)) return IsNan(a) ? a : b;
  return Before(a, b) ? b : a;
}
// What min and max of nothing are.
template <typename T>
constexpr T Highest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}
template <typename T>
constexpr T Lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

template <typename T>
constexpr int kBits = 8 * sizeof(T);

template <typename T>
T ShiftLeft(T a, T b) {
  const int count = static_cast<int>(static_cast<UnsignedWide>(b) % kBits<T>);
  return Cut<T>(static_cast<UnsignedWide>(a) << count);
}
// Floor division by a power of two.
template <typename T>
T ShiftRight(T a, T b) {
  const int count = static_cast<int>(static_cast<UnsignedWide>(b) % kBits<T>);
  const Wide divisor = Wide{1} << count;
  Wide quotient = static_cast<Wide>(a) / divisor;
  if (static_cast<Wide>(a) % divisor < 0) --quotient;
  return static_cast<T>(quotient);
}

template <typename T>
bool HasBit(T a, int bit) {
  return (static_cast<UnsignedWide>(a) >> bit & 1) != 0;
}
template <typename T>
T Popcount(T a) {
  int count = 0;
  for (int bit = 0; bit < kBits<T>; ++bit) count += HasBit(a, bit);
  return static_cast<T>(count);
}
template <typename T>
T LeadingZeros(T a) {
  int count = 0;
  while (count < kBits<T> && !HasBit(a, kBits<T> - 1 - count)) ++count;
  return static_cast<T>(count);
}
template <typename T>
T TrailingZeros(T a) {
  int count = 0;
  while (count < kBits<T> && !HasBit(a, count)) ++count;
  return static_cast<T>(count);
}

template <typename To, typename From>
To Cast(From a) {
  if constexpr (std::is_same_v<To, From> || std::is_floating_point_v<To>) {
    return static_cast<To>(a);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (IsNan(a)) return 0;
    // 64 bits of precision: all integers there are.
    static_assert(std::numeric_limits<long double>::digits >= 64);
    const long double whole = std::trunc(static_cast<long double>(a));
    using Limits = std::numeric_limits<To>;
    if (whole <= static_cast<long double>(Limits::min())) return Limits::min();
    if (whole >= static_cast<long double>(Limits::max())) return Limits::max();
    return static_cast<To>(whole);
  } else {
    return Cut<To>(static_cast<UnsignedWide>(a));
  }
}

}  // namespace concord::sequence::plain

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_PLAIN_H_
