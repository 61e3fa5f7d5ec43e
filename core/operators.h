// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The binary operators of reduce and scan, element by element, for host and
// device code. Every backend takes their meaning from here:
//
//   Add, Multiply       integers wrap; floats are IEEE 754 operations
//   Minimum, Maximum    floats: IEEE 754-2019 minimum and maximum, so a NaN on
//                       either side gives a NaN, and -0.0 < +0.0
//   And, Or, Xor        integers only
//
// Each operator is a stateless class template over the element type:
//
//   Op::Element         the element type
//   Op::Identity()      e with Op(e, x) = Op(x, e) = x; it pads what is absent
//   Op::Empty()         the result for no elements at all
//   Op()(a, b)          the operation
//
// Identity and Empty differ in one place: the identity of float addition is
// -0.0 (+0.0 would turn a sum of -0.0 into +0.0), whereas an empty sum is +0.0.
//
// All of them are associative and commutative except float Add and Multiply,
// whose results depend on the order of evaluation. Which NaN comes out of an
// operator is not defined: results go through CanonicalNan, once, at the end.

#ifndef CONCORD_CORE_OPERATORS_H_
#define CONCORD_CORE_OPERATORS_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define CONCORD_HOST_DEVICE __host__ __device__
#else
#define CONCORD_HOST_DEVICE
#endif

namespace concord {

namespace operators_internal {

// The unsigned type in which T wraps. At least 32 bits, because the product of
// two narrower unsigned values would be promoted to a signed int and overflow.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <typename T>
CONCORD_HOST_DEVICE inline Wrapping<T> BitsOf(T value) {
  Wrapping<T> bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <typename T>
CONCORD_HOST_DEVICE inline T FromBits(Wrapping<T> bits) {
  T value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Constants rather than calls: device code may not call the host functions of
// std::numeric_limits.
template <typename T>
inline constexpr T kQuietNan = std::numeric_limits<T>::quiet_NaN();

// Integers have no infinity; their extreme values take its place.
template <typename T>
inline constexpr T kHighest = std::numeric_limits<T>::has_infinity
                                  ? std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::max();

template <typename T>
inline constexpr T kLowest = std::numeric_limits<T>::has_infinity
                                 ? -std::numeric_limits<T>::infinity()
                                 : std::numeric_limits<T>::lowest();

}  // namespace operators_internal

// Replaces any NaN by the quiet NaN of std::numeric_limits; other values, and
// all integers, pass unchanged.
template <typename T>
CONCORD_HOST_DEVICE constexpr T CanonicalNan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value == value ? value : operators_internal::kQuietNan<T>;
  } else {
    return value;
  }
}

template <typename T>
struct Add {
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() {
    return std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{0};
  }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return T{0}; }

  CONCORD_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      using U = operators_internal::Wrapping<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    }
  }
};

template <typename T>
struct Multiply {
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() { return T{1}; }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }

  CONCORD_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      using U = operators_internal::Wrapping<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    }
  }
};

template <typename T>
struct Minimum {
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() {
    return operators_internal::kHighest<T>;
  }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }

  CONCORD_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      // Each selection takes its second value when the two are equal or one is
      // a NaN. Taken both ways round, the selections agree on unequal numbers;
      // equal numbers differ at most in the sign of zero, and the union of the
      // bits is then -0.0; the union of a NaN with anything is a NaN. Two
      // minimum instructions and an "or", where the CPU has them.
      namespace internal = operators_internal;
      return internal::FromBits<T>(internal::BitsOf(a < b ? a : b) |
                                   internal::BitsOf(b < a ? b : a));
    } else {
      return a < b ? a : b;
    }
  }
};

template <typename T>
struct Maximum {
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() {
    return operators_internal::kLowest<T>;
  }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }

  CONCORD_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      // As above, but a zero is -0.0 only if both are: the sign is the
      // intersection of the signs.
      namespace internal = operators_internal;
      const auto sign = internal::BitsOf(T{-0.0});
      const auto first = internal::BitsOf(a > b ? a : b);
      const auto second = internal::BitsOf(b > a ? b : a);
      return internal::FromBits<T>((first & second & sign) |
                                   ((first | second) & ~sign));
    } else {
      return a > b ? a : b;
    }
  }
};

template <typename T>
struct And {
  static_assert(std::is_integral_v<T>);
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() {
    return static_cast<T>(~operators_internal::Wrapping<T>{0});
  }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }
  CONCORD_HOST_DEVICE constexpr T operator()(T a, T b) const { return a & b; }
};

template <typename T>
struct Or {
  static_assert(std::is_integral_v<T>);
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() { return T{0}; }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }
  CONCORD_HOST_DEVICE constexpr T operator()(T a, T b) const { return a | b; }
};

template <typename T>
struct Xor {
  static_assert(std::is_integral_v<T>);
  using Element = T;
  CONCORD_HOST_DEVICE static constexpr T Identity() { return T{0}; }
  CONCORD_HOST_DEVICE static constexpr T Empty() { return Identity(); }
  CONCORD_HOST_DEVICE constexpr T operator()(T a, T b) const { return a ^ b; }
};

}  // namespace concord

#endif  // CONCORD_CORE_OPERATORS_H_
