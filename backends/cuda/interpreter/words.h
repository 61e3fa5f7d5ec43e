// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Values in the words of the machine (machine_code.h).

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_WORDS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_WORDS_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/expression/operations.h"

namespace concord::machine {

// Calls f(0), ..., f(kTimes - 1).
template <int kTimes, typename F>
CONCORD_INLINE void Unrolled(F f) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k < kTimes; ++k) f(k);
}

// The same value, but the compiler does not know that, and so does not compute
// what is made of it anywhere else.
template <typename W>
CONCORD_INLINE W Anew(W value) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(W) == 8) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#endif
  return value;
}

// The lanes of a thread. With words of 32 bits, 16 of them take as many
// registers as 8 with words of 64.
template <typename W>
inline constexpr int kLanes = sizeof(W) == 4 ? 16 : 8;

// The lanes of one value.
template <typename W>
using Register = W[kLanes<W>];

template <typename T, typename W>
CONCORD_INLINE T FromWord(W word) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = static_cast<
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(word);
    T value;
    memcpy(&value, &bits, sizeof(value));
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return word != 0;
  } else {
    return static_cast<T>(word);
  }
}
template <typename W, typename T>
CONCORD_INLINE W ToWord(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else {
    return static_cast<W>(value);
  }
}

// What a kind of step takes words of type W as. Words of 32 bits have no
// float64; what would work on it is left out.
template <typename W>
struct KindOf {
  using Signed = std::make_signed_t<W>;
  using Unsigned = W;
  using Float32 = float;
  using Float64 = double;
};
template <typename T, typename W>
inline constexpr bool kFits = sizeof(T) <= sizeof(W);

// The operations of fast steps.
namespace fast {

using expression::meaning::Add;
using expression::meaning::And;
using expression::meaning::Equal;
using expression::meaning::Less;
using expression::meaning::LessEqual;
using expression::meaning::Maximum;
using expression::meaning::Minimum;
using expression::meaning::Multiply;
using expression::meaning::Or;
using expression::meaning::ShiftLeft;
using expression::meaning::ShiftRight;
using expression::meaning::Subtract;
using expression::meaning::Xor;

// Those whose operands have changed places.
template <typename T>
CONCORD_INLINE T SubtractFrom(T a, T b) {
  return Subtract(b, a);
}
template <typename T>
CONCORD_INLINE bool Greater(T a, T b) {
  return Less(b, a);
}
template <typename T>
CONCORD_INLINE bool GreaterEqual(T a, T b) {
  return LessEqual(b, a);
}

}  // namespace fast

// Calls f(op) with the operator on words that a combining step applies: both
// orders of its operands are the same.
template <typename W, typename F>
CONCORD_INLINE void WithOperator(Code code, F f) {
  switch (code) {
#define CONCORD_STEP(name, kind)                                      \
  case Code::name##_##kind:                                           \
    if constexpr (kFits<typename KindOf<W>::kind, W>) {               \
      using T = typename KindOf<W>::kind;                             \
      f([](W a, W b) {                                                \
        return ToWord<W>(fast::name(FromWord<T>(a), FromWord<T>(b))); \
      });                                                             \
    }                                                                 \
    break;
    CONCORD_FOR_EACH_COMBINING_STEP(CONCORD_STEP)
#undef CONCORD_STEP
    default:
      break;
  }
}

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_WORDS_H_
