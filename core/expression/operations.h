// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The meaning of every operation of a function, once, for host and device code.
// Each has a result for every operand, the same on every machine:
//
//   integers   + - * and negation wrap modulo 2^bits, and so does abs of the
//              smallest one. x / 0 = 0 and x % 0 = x; division truncates, and %
//              has the sign of x: smallest / -1 = smallest, smallest % -1 = 0.
//              Shifts take their count modulo the width; >> of signed ones
//              brings in the sign. clz and ctz of 0 are the width.
//   floats     One IEEE 754 rounding, to nearest, ties to even. Negation and
//              abs touch the sign bit alone. round takes halves to the even
//              neighbour, like rint, numpy.round and IEEE's roundTiesToEven;
//              the sign of a zero is kept. min and max are those of
//              core/operators.h: a NaN on either side gives a NaN, and -0.0 <
//              +0.0. Comparisons with a NaN are false.
//   casts      Between integers keep the low bits, or extend the value. To a
//              float they round to nearest, past the largest one to infinity.
//              From a float to an integer they round towards zero, and what is
//              too small or too large becomes the smallest or largest integer,
//              a NaN 0. To bool: whether it is not 0; a NaN is not. From bool:
//              0 or 1.
//
// Which NaN comes out is not defined: results of functions go through
// CanonicalNan, once, at the end, and nothing on the way looks at its bits.
// Compilers must not fuse a product with a sum (tools/bazel tells them).

#ifndef CONCORD_CORE_EXPRESSION_OPERATIONS_H_
#define CONCORD_CORE_EXPRESSION_OPERATIONS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/core/operators.h"

namespace concord::expression::meaning {

// Unsigned, of at least 32 bits: operands of fewer would be promoted to signed.
template <typename T>
using Wrapping = operators_internal::Wrapping<T>;

template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
inline constexpr int kWidth = 8 * static_cast<int>(sizeof(T));
// Constants rather than calls, for device code.
template <typename T>
inline constexpr T kLargest = std::numeric_limits<T>::max();
template <typename T>
inline constexpr T kSmallest = std::numeric_limits<T>::lowest();
// The first number past the largest integer T: a power of two, which every
// float type has.
template <typename T, typename Float>
inline constexpr Float kPastLargest =
    Float{2} *
    static_cast<Float>(uint64_t{1} << (std::numeric_limits<T>::digits - 1));

template <typename T>
CONCORD_HOST_DEVICE inline T Negate(T a) {
  if constexpr (kIsFloat<T>) {
    return -a;
  } else {
    return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
  }
}

template <typename T>
CONCORD_HOST_DEVICE inline T Not(T a) {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~static_cast<Wrapping<T>>(a));
  }
}

template <typename T>
CONCORD_HOST_DEVICE inline T Abs(T a) {
  if constexpr (kIsFloat<T>) {
    return std::fabs(a);
  } else if constexpr (std::is_signed_v<T>) {
    return a < T{0} ? Negate(a) : a;
  } else {
    return a;
  }
}

template <typename T>
CONCORD_HOST_DEVICE inline T Sqrt(T a) {
  return std::sqrt(a);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Floor(T a) {
  return std::floor(a);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Ceil(T a) {
  return std::ceil(a);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Trunc(T a) {
  return std::trunc(a);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Round(T a) {
  return std::rint(a);
}
template <typename T>
CONCORD_HOST_DEVICE inline bool IsNan(T a) {
  return a != a;
}

// The bits of an integer and no more, as 64.
template <typename T>
CONCORD_HOST_DEVICE inline uint64_t BitsOf(T a) {
  return static_cast<std::make_unsigned_t<T>>(a);
}

template <typename T>
CONCORD_HOST_DEVICE inline T Popcount(T a) {
#ifdef __CUDA_ARCH__
  return static_cast<T>(__popcll(BitsOf(a)));
#else
  return static_cast<T>(__builtin_popcountll(BitsOf(a)));
#endif
}

template <typename T>
CONCORD_HOST_DEVICE inline T Clz(T a) {
  if (a == 0) return static_cast<T>(kWidth<T>);
  constexpr int kAbsent = 64 - kWidth<T>;
#ifdef __CUDA_ARCH__
  return static_cast<T>(__clzll(static_cast<long long>(BitsOf(a))) - kAbsent);
#else
  return static_cast<T>(__builtin_clzll(BitsOf(a)) - kAbsent);
#endif
}

template <typename T>
CONCORD_HOST_DEVICE inline T Ctz(T a) {
  if (a == 0) return static_cast<T>(kWidth<T>);
#ifdef __CUDA_ARCH__
  return static_cast<T>(__ffsll(static_cast<long long>(BitsOf(a))) - 1);
#else
  return static_cast<T>(__builtin_ctzll(BitsOf(a)));
#endif
}

template <typename T>
CONCORD_HOST_DEVICE inline T Add(T a, T b) {
  return concord::Add<T>()(a, b);
}

template <typename T>
CONCORD_HOST_DEVICE inline T Subtract(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a - b;
  } else {
    return static_cast<T>(static_cast<Wrapping<T>>(a) -
                          static_cast<Wrapping<T>>(b));
  }
}

template <typename T>
CONCORD_HOST_DEVICE inline T Multiply(T a, T b) {
  return concord::Multiply<T>()(a, b);
}

template <typename T>
CONCORD_HOST_DEVICE inline bool IsMinusOne(T a) {
  return std::is_signed_v<T> && a == static_cast<T>(-1);
}

template <typename T>
CONCORD_HOST_DEVICE inline T Divide(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    return IsMinusOne(b) ? Negate(a) : static_cast<T>(a / b);
  }
}

template <typename T>
CONCORD_HOST_DEVICE inline T Remainder(T a, T b) {
  if (b == 0) return a;
  return IsMinusOne(b) ? T{0} : static_cast<T>(a % b);
}

template <typename T>
CONCORD_HOST_DEVICE inline T Minimum(T a, T b) {
  return concord::Minimum<T>()(a, b);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Maximum(T a, T b) {
  return concord::Maximum<T>()(a, b);
}
template <typename T>
CONCORD_HOST_DEVICE inline T And(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Or(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
CONCORD_HOST_DEVICE inline T Xor(T a, T b) {
  return static_cast<T>(a ^ b);
}

template <typename T>
CONCORD_HOST_DEVICE inline T ShiftLeft(T a, T b) {
  const auto count = static_cast<Wrapping<T>>(b) & (kWidth<T> - 1);
  return static_cast<T>(static_cast<Wrapping<T>>(a) << count);
}
template <typename T>
CONCORD_HOST_DEVICE inline T ShiftRight(T a, T b) {
  const auto count = static_cast<Wrapping<T>>(b) & (kWidth<T> - 1);
  return static_cast<T>(a >> count);
}

template <typename T>
CONCORD_HOST_DEVICE inline bool Equal(T a, T b) {
  return a == b;
}
template <typename T>
CONCORD_HOST_DEVICE inline bool Less(T a, T b) {
  return a < b;
}
template <typename T>
CONCORD_HOST_DEVICE inline bool LessEqual(T a, T b) {
  return a <= b;
}

// a * b + c with one rounding.
template <typename T>
CONCORD_HOST_DEVICE inline T Fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

template <typename T>
CONCORD_HOST_DEVICE inline T Select(bool condition, T a, T b) {
  return condition ? a : b;
}

template <typename To, typename From>
CONCORD_HOST_DEVICE inline To Cast(From a) {
  if constexpr (std::is_same_v<To, bool>) {
    return a != From{0};
  } else if constexpr (kIsFloat<From> && std::is_integral_v<To>) {
    if (a >= kPastLargest<To, From>) return kLargest<To>;
    if (a <= static_cast<From>(kSmallest<To>)) return kSmallest<To>;
    return a == a ? static_cast<To>(a) : To{0};
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace concord::expression::meaning

#endif  // CONCORD_CORE_EXPRESSION_OPERATIONS_H_
