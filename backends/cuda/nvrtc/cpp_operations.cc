// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/cpp_prelude.h"

namespace concord::nvrtc {

// Every operation of core/expression/operations.h, with its bits.
absl::string_view CppOperations() {
  return R"text(
template <typename T>
CONCORD_INLINE T Add(T a, T b) {
  if constexpr (kIsFloat<T>)
    return a + b;
  else
    return T(Word<T>(a) + Word<T>(b));
}
template <typename T>
CONCORD_INLINE T Subtract(T a, T b) {
  if constexpr (kIsFloat<T>)
    return a - b;
  else
    return T(Word<T>(a) - Word<T>(b));
}
template <typename T>
CONCORD_INLINE T Multiply(T a, T b) {
  if constexpr (kIsFloat<T>)
    return a * b;
  else
    return T(Word<T>(a) * Word<T>(b));
}
template <typename T>
CONCORD_INLINE T Negate(T a) {
  if constexpr (kIsFloat<T>)
    return -a;
  else
    return T(Word<T>(0) - Word<T>(a));
}

// Integers: the divisor is never 0, and never -1, whose quotient may be too
// large.
template <typename T>
CONCORD_INLINE T Divide(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    const bool minus = kIsSigned<T> && b == T(-1);
    const T quotient = T(a / (b == 0 || minus ? T(1) : b));
    return b == 0 ? T(0) : minus ? Negate<T>(a) : quotient;
  }
}
template <typename T>
CONCORD_INLINE T Remainder(T a, T b) {
  return Subtract<T>(a, Multiply<T>(Divide<T>(a, b), b));
}

// Floats: both selections, which agree but for NaNs and the signs of zeros.
template <typename T>
CONCORD_INLINE T Minimum(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return FromBits(BitsOf(a < b ? a : b) | BitsOf(b < a ? b : a));
  } else {
    return a < b ? a : b;
  }
}
template <typename T>
CONCORD_INLINE T Maximum(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const Word<T> first = BitsOf(a > b ? a : b), second = BitsOf(b > a ? b : a);
    const Word<T> sign = Word<T>(1) << (kWidth<T> - 1);
    return FromBits((first & second & sign) | ((first | second) & ~sign));
  } else {
    return a > b ? a : b;
  }
}

template <typename T>
CONCORD_INLINE T Not(T a) {
  if constexpr (kIsBool<T>)
    return !a;
  else
    return T(~Word<T>(a));
}
template <typename T>
CONCORD_INLINE T And(T a, T b) {
  return T(a & b);
}
template <typename T>
CONCORD_INLINE T Or(T a, T b) {
  return T(a | b);
}
template <typename T>
CONCORD_INLINE T Xor(T a, T b) {
  return T(a ^ b);
}
// Counts are taken modulo the width.
template <typename T>
CONCORD_INLINE T ShiftLeft(T a, T b) {
  return T(Word<T>(a) << (Word<T>(b) & (kWidth<T> - 1)));
}
template <typename T>
CONCORD_INLINE T ShiftRight(T a, T b) {
  return T(a >> (Word<T>(b) & (kWidth<T> - 1)));
}

// The bits of an integer and no more.
template <typename T>
CONCORD_INLINE uint64 OnlyBits(T a) {
  return uint64(a) & (~uint64(0) >> (64 - kWidth<T>));
}
template <typename T>
CONCORD_INLINE T Popcount(T a) {
  return T(CONCORD_ON_DEVICE(__popcll, __builtin_popcountll)(OnlyBits(a)));
}
template <typename T>
CONCORD_INLINE T Clz(T a) {
  if (a == 0) return T(kWidth<T>);
  return T(CONCORD_ON_DEVICE(__clzll, __builtin_clzll)(OnlyBits(a)) -
           (64 - kWidth<T>));
}
template <typename T>
CONCORD_INLINE T Ctz(T a) {
  if (a == 0) return T(kWidth<T>);
  return T(CONCORD_ON_DEVICE(__ffsll(OnlyBits(a)) - 1,
                             __builtin_ctzll(OnlyBits(a))));
}

#define CONCORD_OF_FLOATS(name, device32, device64, host)       \
  CONCORD_INLINE float32 Rounded##name(float32 a) {             \
    return CONCORD_ON_DEVICE(device32, __builtin_##host##f)(a); \
  }                                                             \
  CONCORD_INLINE float64 Rounded##name(float64 a) {             \
    return CONCORD_ON_DEVICE(device64, __builtin_##host)(a);    \
  }                                                             \
  template <typename T>                                         \
  CONCORD_INLINE T name(T a) {                                  \
    return Rounded##name(a);                                    \
  }
CONCORD_OF_FLOATS(Sqrt, __fsqrt_rn, __dsqrt_rn, sqrt)
CONCORD_OF_FLOATS(Floor, floorf, floor, floor)
CONCORD_OF_FLOATS(Ceil, ceilf, ceil, ceil)
CONCORD_OF_FLOATS(Trunc, truncf, trunc, trunc)
CONCORD_OF_FLOATS(Round, rintf, rint, rint)

CONCORD_INLINE float32 Fused(float32 a, float32 b, float32 c) {
  return CONCORD_ON_DEVICE(__fmaf_rn, __builtin_fmaf)(a, b, c);
}
CONCORD_INLINE float64 Fused(float64 a, float64 b, float64 c) {
  return CONCORD_ON_DEVICE(__fma_rn, __builtin_fma)(a, b, c);
}
template <typename T>
CONCORD_INLINE T Fma(T a, T b, T c) {
  return Fused(a, b, c);
}
template <typename T>
CONCORD_INLINE T Abs(T a) {
  if constexpr (kIsFloat<T>) {
    return FromBits(BitsOf(a) & (~Word<T>(0) >> 1));
  } else {
    return kIsSigned<T> && a < T(0) ? Negate<T>(a) : a;
  }
}

template <typename T>
CONCORD_INLINE bool IsNan(T a) {
  return a != a;
}
template <typename T>
CONCORD_INLINE bool Equal(T a, T b) {
  return a == b;
}
template <typename T>
CONCORD_INLINE bool Less(T a, T b) {
  return a < b;
}
template <typename T>
CONCORD_INLINE bool LessEqual(T a, T b) {
  return a <= b;
}
template <typename T>
CONCORD_INLINE T Select(bool condition, T a, T b) {
  return condition ? a : b;
}

// From floats towards zero, to the ends, NaN to 0.
template <typename To, typename From>
CONCORD_INLINE To Cast(From a) {
  if constexpr (kIsBool<To>) {
    return a != From(0);
  } else if constexpr (kIsFloat<From> && !kIsFloat<To>) {
    constexpr int kDigits = kWidth<To> - (kIsSigned<To> ? 1 : 0);
    constexpr To kLargest = To(~uint64(0) >> (64 - kDigits));
    constexpr From kPastLargest = From(2) * From(uint64(1) << (kDigits - 1));
    if (a >= kPastLargest) return kLargest;
    if (a <= (kIsSigned<To> ? -kPastLargest : From(0))) return To(~kLargest);
    return a == a ? To(a) : To(0);
  } else {
    return To(a);
  }
}
)text";
}

}  // namespace concord::nvrtc
