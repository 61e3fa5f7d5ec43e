// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The operations of transform.h for vectors and GPUs, as few as there can be:
// what depends on the bits alone is there once for each size of elements, and
// all comparisons are one, the question whether an element lies in a range.
//
// Each operation is a function object with the types of its argument and its
// result, `In` and `Out`, which have the sizes of the true types.

#ifndef CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_OPERATORS_H_
#define CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_OPERATORS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/algorithms/transform/transform.h"
#include "concord/core/operators.h"

namespace concord::transform {

namespace transform_internal {

template <int kSize>
using Word =
    std::conditional_t<kSize == 1, uint8_t,
                       std::conditional_t<kSize == 4, uint32_t, uint64_t>>;

// The unsigned type of the same size for integers, itself for floats.
template <typename T>
using Unsigned = std::conditional_t<std::is_integral_v<T>, Word<sizeof(T)>, T>;

template <typename T>
inline constexpr T kLargest = std::numeric_limits<T>::max();
template <typename T>
inline constexpr T kSmallest = std::numeric_limits<T>::lowest();

// The first number past the largest integer of type T: 2 * 2^(digits - 1).
template <typename T, typename Float>
inline constexpr Float kPastLargest =
    Float{2} *
    static_cast<Float>(uint64_t{1} << (std::numeric_limits<T>::digits - 1));

}  // namespace transform_internal

template <typename T>
struct CopyElement {
  using In = T;
  using Out = T;
  CONCORD_HOST_DEVICE T operator()(T x) const { return x; }
};

template <typename T>
struct Affine {
  using In = T;
  using Out = T;
  T scale;
  T offset;
  CONCORD_HOST_DEVICE T operator()(T x) const {
    return CanonicalNan(Add<T>()(Multiply<T>()(x, scale), offset));
  }
};

// Of signed integers.
template <typename T>
struct Absolute {
  using In = T;
  using Out = T;
  CONCORD_HOST_DEVICE T operator()(T x) const {
    using U = operators_internal::Wrapping<T>;
    return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;
  }
};

// The absolute value of a float, whose bits are a word: a GPU's own makes all
// NaNs one. No float is there that a compiler could see it in.
template <typename Word>
struct ClearSignBit {
  using In = Word;
  using Out = Word;
  CONCORD_HOST_DEVICE Word operator()(Word x) const {
    return x & (transform_internal::kLargest<Word> >> 1);
  }
};

template <typename T>
struct Square {
  using In = T;
  using Out = T;
  CONCORD_HOST_DEVICE T operator()(T x) const {
    return CanonicalNan(Multiply<T>()(x, x));
  }
};

// 1 - flip for elements in [low, low + width], in unsigned arithmetic, and for
// floats in [low, high]; flip for all others, NaNs among them.
template <typename T>
struct InRange {
  using In = T;
  using Out = uint8_t;
  T low;
  T width_or_high;
  uint8_t flip;
  CONCORD_HOST_DEVICE uint8_t operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      // Both comparisons in any case: a branch is nothing for vectors.
      const uint8_t not_below = x >= low;
      const uint8_t not_above = x <= width_or_high;
      return static_cast<uint8_t>((not_below & not_above) ^ flip);
    } else {
      return static_cast<uint8_t>((static_cast<T>(x - low) <= width_or_high) ^
                                  flip);
    }
  }
};

template <typename From, typename To>
struct Convert {
  using In = From;
  using Out = To;
  CONCORD_HOST_DEVICE To operator()(From x) const {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      namespace internal = transform_internal;
      constexpr From kPast = internal::kPastLargest<To, From>;
      constexpr From kLeast = static_cast<From>(internal::kSmallest<To>);
      // Selections, not branches, so that vectors can do it; a NaN fails both
      // comparisons, and nothing out of range is ever converted.
      const bool fits = x >= kLeast && x < kPast;
      const To converted = static_cast<To>(fits ? x : From{0});
      const To low = x < kLeast ? internal::kSmallest<To> : converted;
      return x >= kPast ? internal::kLargest<To> : low;
    } else {
      return CanonicalNan(static_cast<To>(x));
    }
  }
};

namespace transform_internal {

// The comparison with c as a range.
template <typename T>
InRange<Unsigned<T>> RangeOf(Transform::Op op, T c) {
  using Op = Transform::Op;
  using Limits = std::numeric_limits<T>;
  T low = kSmallest<T>;
  T high = kLargest<T>;
  bool flip = false;
  if constexpr (std::is_floating_point_v<T>) {
    low = -Limits::infinity();
    high = Limits::infinity();
    // Where the range would be empty, no bound at all holds.
    if (op == Op::kLess) {
      high = c == low ? Limits::quiet_NaN() : std::nextafter(c, low);
    }
    if (op == Op::kGreater) {
      low = c == high ? Limits::quiet_NaN() : std::nextafter(c, high);
    }
  } else {
    if (op == Op::kLess) low = c;
    if (op == Op::kGreater) high = c;
    flip = op == Op::kLess || op == Op::kGreater;
  }
  if (op == Op::kEqual || op == Op::kNotEqual) low = high = c;
  if (op == Op::kLessEqual) high = c;
  if (op == Op::kGreaterEqual) low = c;
  flip = flip || op == Op::kNotEqual;
  if constexpr (std::is_floating_point_v<T>) {
    return {low, high, flip};
  } else {
    using U = Unsigned<T>;
    return {static_cast<U>(low),
            static_cast<U>(static_cast<U>(high) - static_cast<U>(low)), flip};
  }
}

// What is copied when types differ in name only.
template <typename From, typename To>
auto ConversionOf() {
  constexpr bool kBothIntegers =
      std::is_integral_v<From> && std::is_integral_v<To>;
  if constexpr (std::is_same_v<From, To> ||
                (kBothIntegers && sizeof(From) == sizeof(To))) {
    return CopyElement<Word<sizeof(From)>>();
  } else if constexpr (kBothIntegers && sizeof(From) > sizeof(To)) {
    return Convert<Unsigned<From>, Unsigned<To>>();
  } else if constexpr (kBothIntegers) {
    return Convert<From, Unsigned<To>>();
  } else {
    return Convert<From, To>();
  }
}

}  // namespace transform_internal

// Calls f(operation) for arguments that have been checked, and returns its
// result.
template <typename F>
decltype(auto) DispatchTransform(ElementType type,
                                 const Transform::Options& options, F&& f) {
  using Op = Transform::Op;
  return Dispatch(type, [&](auto tag) -> decltype(auto) {
    using T = typename decltype(tag)::type;
    using U = transform_internal::Unsigned<T>;
    switch (options.op) {
      case Op::kAffine:
        return f(Affine<U>{static_cast<U>(options.scale.As<T>()),
                           static_cast<U>(options.offset.As<T>())});
      case Op::kAbs:
        if constexpr (std::is_unsigned_v<T>) {
          return f(CopyElement<T>());
        } else if constexpr (std::is_floating_point_v<T>) {
          return f(ClearSignBit<transform_internal::Word<sizeof(T)>>());
        } else {
          return f(Absolute<T>());
        }
      case Op::kSquare:
        return f(Square<U>());
      case Op::kCast:
        return Dispatch(options.to.value_or(type), [&](auto to) {
          using To = typename decltype(to)::type;
          return f(transform_internal::ConversionOf<T, To>());
        });
      default:
        return f(
            transform_internal::RangeOf(options.op, options.constant.As<T>()));
    }
  });
}

}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_OPERATORS_H_
