// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What steps do that need nothing but registers and a constant.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_REGISTER_STEPS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_REGISTER_STEPS_H_

#include <cstdint>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/backends/cuda/interpreter/rare_steps.h"
#include "concord/backends/cuda/interpreter/words.h"
#include "concord/core/expression/operations.h"

namespace concord::machine {

// The accumulator `a` is set to Anew(...) everywhere: nvcc would write the new
// one before branches that skip other steps, and so move the old one to other
// registers before every step.
template <typename W>
struct RegisterSteps {
  using Signed = typename KindOf<W>::Signed;
  static constexpr int kCount = kLanes<W>;

  // The same in every lane: a = f(a).
  template <typename T, typename F>
  static CONCORD_INLINE void Each(Register<W>& a, F f) {
    if constexpr (kFits<T, W>) {
      Unrolled<kCount>(
          [&](int e) { a[e] = Anew(ToWord<W>(f(FromWord<T>(a[e])))); });
    }
  }
  template <typename T, typename F>
  static CONCORD_INLINE void EachOfTwo(Register<W>& a, const Register<W>& r,
                                       F f) {
    if constexpr (kFits<T, W>) {
      Unrolled<kCount>([&](int e) {
        a[e] = Anew(ToWord<W>(f(FromWord<T>(a[e]), FromWord<T>(r[e]))));
      });
    }
  }
  template <typename To, typename From>
  static CONCORD_INLINE void Convert(Register<W>& a) {
    if constexpr (kFits<To, W>) {
      Each<From>(a, [](From x) { return expression::meaning::Cast<To>(x); });
    }
  }

  // As expression::meaning::Cast, whose branches would keep both the old and
  // the new accumulator. The instruction ends at the smallest and largest
  // integer by itself.
  template <typename Float>
  static CONCORD_INLINE Signed SignedOf(Float x) {
#ifdef __CUDA_ARCH__
    Signed whole;
    if constexpr (!kFits<Float, W>) {
      whole = 0;
    } else if constexpr (sizeof(W) == 4) {
      asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(x));
    } else if constexpr (sizeof(Float) == 4) {
      asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(whole) : "f"(x));
    } else {
      asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(whole) : "d"(x));
    }
    return x == x ? whole : 0;
#else
    return expression::meaning::Cast<Signed>(x);
#endif
  }

  // A = condition ? the first : the second, of each lane.
  template <typename F, typename G>
  static CONCORD_INLINE void Choose(Register<W>& a, std::uint32_t condition,
                                    F first, G second) {
    Unrolled<kCount>([&](int e) {
      a[e] = Anew((condition & 1u << e) != 0 ? first(e) : second(e));
    });
  }

  // Affine or Bits.
  static CONCORD_INLINE void DoShort(const FetchedStep& step, Register<W>& a) {
    if constexpr (sizeof(W) == 4) {
      if (step.code() == Code::kAffine) {
        Unrolled<kCount>(
            [&](int e) { a[e] = Anew(a[e] * step.low + step.high); });
      } else {
        Unrolled<kCount>(
            [&](int e) { a[e] = Anew((a[e] & step.low) ^ step.high); });
      }
    }
  }

  // What is common with a constant reads it by itself.
  static CONCORD_INLINE void DoWithConstant(const FetchedStep& step,
                                            Register<W>& a,
                                            std::uint32_t condition) {
    const W constant = static_cast<W>(step.constant());
    switch (step.code()) {
      case Code::kLoad:
        Unrolled<kCount>([&](int e) { a[e] = Anew(constant); });
        break;
      case Code::kChoose:
        Choose(
            a, condition, [&](int e) { return a[e]; },
            [&](int) { return constant; });
        break;
      case Code::kChooseOther:
        Choose(
            a, condition, [&](int) { return constant; },
            [&](int e) { return a[e]; });
        break;
#define CONCORD_STEP(op, kind)                       \
  case Code::op##_##kind: {                          \
    using T = typename KindOf<W>::kind;              \
    const T b = FromWord<T>(constant);               \
    Each<T>(a, [b](T x) { return fast::op(x, b); }); \
    break;                                           \
  }
        CONCORD_FOR_EACH_FAST_STEP(CONCORD_STEP)
#undef CONCORD_STEP
      default:
        CallRarely(step, a, a);
    }
  }

  static CONCORD_INLINE void CallRarely(const FetchedStep& step, Register<W>& a,
                                        const Register<W>& r) {
    // Copies, so that the registers themselves have no address.
    W first[kCount], second[kCount];
    const bool is_constant = step.source() == Source::kConstant;
    Unrolled<kCount>([&](int e) {
      first[e] = Anew(a[e]);
      second[e] = Anew(is_constant ? static_cast<W>(step.constant()) : r[e]);
    });
    W* const x = step.reversed() ? second : first;
    DoRarely<W>(step.code(), x, step.reversed() ? first : second);
    Unrolled<kCount>([&](int e) { a[e] = Anew(x[e]); });
  }
};

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_REGISTER_STEPS_H_
