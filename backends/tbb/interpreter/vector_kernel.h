// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that work on the vectors of the accumulator, where they are.

#include "concord/backends/tbb/interpreter/step_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

template <typename T, Op kOp>
inline Vector<T> ApplyVector(Vector<T> a, Vector<T> b) {
  using U = Vector<Unsigned<T>>;
  if constexpr (kOp == Op::kAdd) {
    return Apply(concord::Add<T>(), a, b);
  } else if constexpr (kOp == Op::kMultiply) {
    return Apply(Multiply<T>(), a, b);
  } else if constexpr (kOp == Op::kMinimum) {
    return Apply(Minimum<T>(), a, b);
  } else if constexpr (kOp == Op::kMaximum) {
    return Apply(Maximum<T>(), a, b);
  } else if constexpr (kOp == Op::kSubtract) {
    // Integers are unsigned here.
    return a - b;
  } else if constexpr (kOp == Op::kDivide) {
    return a / b;
  } else if constexpr (kOp == Op::kAnd) {
    return a & b;
  } else if constexpr (kOp == Op::kOr) {
    return a | b;
  } else if constexpr (kOp == Op::kXor) {
    return a ^ b;
  } else {
    constexpr Unsigned<T> kMask = 8 * sizeof(T) - 1;
    const Vector<T> count = (Vector<T>)((U)b & kMask);
    return kOp == Op::kShiftLeft ? a << count : a >> count;
  }
}

template <typename T, Op kOp>
inline Vector<T> ApplyVector(Vector<T> a) {
  using U = Vector<Unsigned<T>>;
  if constexpr (std::is_floating_point_v<T>) {
    const U sign = (U)Broadcast(T{-0.0});
    return (Vector<T>)(kOp == Op::kNegate ? (U)a ^ sign : (U)a & ~sign);
  } else {
    static_assert(kOp == Op::kAbs);
    return (Vector<T>)(a < 0 ? -(U)a : (U)a);
  }
}

template <int W, typename T, Op kOp>
struct Unary {
  static inline void Do(const Step&, Frame&, Raw (&v)[8]) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors<W, T>; ++j) {
      v[j] = (Raw)ApplyVector<T, kOp>((Vector<T>)v[j]);
    }
  }
};

template <int W, typename T, Op kOp, bool kConstant, bool kReversed>
struct Binary {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const T* const values = kConstant ? nullptr : Values<T>(f, s.operand);
    const Vector<T> constant = kConstant ? ConstantOf<T>(s) : Vector<T>{};
#pragma GCC unroll 8
    for (int j = 0; j < kVectors<W, T>; ++j) {
      const Vector<T> x = (Vector<T>)v[j];
      Vector<T> y = constant;
      if constexpr (!kConstant) y = Load(values + j * kLanes<T>);
      v[j] = (Raw)(kReversed ? ApplyVector<T, kOp>(y, x)
                             : ApplyVector<T, kOp>(x, y));
    }
  }
};

template <int W, typename T, Op kOp, bool kConstant, bool kReversed>
struct Choose {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const T* const operand = Values<T>(f, s.operand);
    const T* const left = Values<T>(f, s.left);
    const T* const right = kConstant ? nullptr : Values<T>(f, s.right);
    const Vector<T> constant = kConstant ? ConstantOf<T>(s) : Vector<T>{};
#pragma GCC unroll 8
    for (int j = 0; j < kVectors<W, T>; ++j) {
      const Vector<T> x = (Vector<T>)v[j];
      const Vector<T> y = Load(operand + j * kLanes<T>);
      const Vector<T> a = Load(left + j * kLanes<T>);
      Vector<T> b = constant;
      if constexpr (!kConstant) b = Load(right + j * kLanes<T>);
      const Vector<T> yes = kReversed ? y : x;
      const Vector<T> no = kReversed ? x : y;
      if constexpr (kOp == Op::kEqual) v[j] = (Raw)(a == b ? yes : no);
      if constexpr (kOp == Op::kLess) v[j] = (Raw)(a < b ? yes : no);
      if constexpr (kOp == Op::kLessEqual) v[j] = (Raw)(a <= b ? yes : no);
    }
  }
};

template <int W, typename T, Op kOp>
StepFunction BinaryOf(const StepForm& form) {
  if (form.reversed) {
    return form.constant ? Erased(Execute<Binary<W, T, kOp, true, true>>)
                         : Erased(Execute<Binary<W, T, kOp, false, true>>);
  }
  return form.constant ? Erased(Execute<Binary<W, T, kOp, true, false>>)
                       : Erased(Execute<Binary<W, T, kOp, false, false>>);
}

// The same of what commutes.
template <int W, typename T, Op kOp>
StepFunction CommutingOf(const StepForm& form) {
  return form.constant ? Erased(Execute<Binary<W, T, kOp, true, false>>)
                       : Erased(Execute<Binary<W, T, kOp, false, false>>);
}

template <int W, typename T, Op kOp>
StepFunction ChooseOf(const StepForm& form) {
  if (form.reversed) {
    return form.constant ? Erased(Execute<Choose<W, T, kOp, true, true>>)
                         : Erased(Execute<Choose<W, T, kOp, false, true>>);
  }
  return form.constant ? Erased(Execute<Choose<W, T, kOp, true, false>>)
                       : Erased(Execute<Choose<W, T, kOp, false, false>>);
}

template <int W, typename T>
StepFunction ChooseBy(const StepForm& form) {
  switch (form.op) {
    case Op::kEqual:
      return ChooseOf<W, T, Op::kEqual>(form);
    case Op::kLess:
      return ChooseOf<W, T, Op::kLess>(form);
    case Op::kLessEqual:
      return ChooseOf<W, T, Op::kLessEqual>(form);
    default:
      return nullptr;
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
