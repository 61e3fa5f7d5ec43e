// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The steps that machine.h does not unroll: one lane after the other, behind a
// call, so that they cost the others neither registers nor length.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_RARE_STEPS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_RARE_STEPS_H_

#include <cstdint>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/backends/cuda/interpreter/words.h"
#include "concord/core/expression/operations.h"
#include "concord/core/expression/value_type.h"

#ifdef __CUDACC__
#define CONCORD_CALLED __host__ __device__ __noinline__
#else
#define CONCORD_CALLED inline
#endif

namespace concord::machine {

template <expression::Type kType>
auto TagOfType() {
#define CONCORD_IF_SAME(enumerator, type, name) \
  if constexpr (kType == expression::Type::enumerator) return TypeTag<type>();
  CONCORD_FOR_EACH_VALUE_TYPE(CONCORD_IF_SAME)
#undef CONCORD_IF_SAME
}
template <expression::Type kType>
using TypeOf = typename decltype(TagOfType<kType>())::type;

// x = f(x, y) in every lane.
template <typename T, typename W, typename F>
CONCORD_INLINE void EachRarely(W* x, const W* y, F f) {
  if constexpr (kFits<T, W>) {
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int e = 0; e < kLanes<W>; ++e) {
      x[e] = ToWord<W>(f(FromWord<T>(x[e]), y[e]));
    }
  }
}

template <typename W>
CONCORD_CALLED void DoRarely(Code code, W* x, const W* y) {
  namespace meaning = expression::meaning;
  switch (code) {
#define CONCORD_STEP(op, enumerator, T)                         \
  case Code::op##_##enumerator:                                 \
    EachRarely<T>(x, y, [](T a, W) { return meaning::op(a); }); \
    break;
    CONCORD_FOR_EACH_RARE_UNARY_STEP(CONCORD_STEP)
#undef CONCORD_STEP
#define CONCORD_STEP(op, enumerator, T)                                     \
  case Code::op##_##enumerator:                                             \
    EachRarely<T>(x, y,                                                     \
                  [](T a, W b) { return meaning::op(a, FromWord<T>(b)); }); \
    break;
    CONCORD_FOR_EACH_RARE_BINARY_STEP(CONCORD_STEP)
#undef CONCORD_STEP
#define CONCORD_STEP(from, enumerator, To)                                    \
  case Code::Cast_##from##_##enumerator:                                      \
    if constexpr (kFits<To, W>) {                                             \
      using From = TypeOf<expression::Type::from>;                            \
      EachRarely<From>(x, y, [](From a, W) { return meaning::Cast<To>(a); }); \
    }                                                                         \
    break;
    CONCORD_FOR_EACH_RARE_CAST(CONCORD_STEP)
#undef CONCORD_STEP
    default:
      break;
  }
}

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_RARE_STEPS_H_
