// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Steps that go through the first-level cache: plain loops over the operations
// of core/expression/operations.h, which the compiler vectorises where it can.

#include "concord/backends/tbb/interpreter/step_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

// What F gives for each value of the accumulator, which are of type In.
template <int W, typename In, typename Out, typename F>
inline void ForEachValue(Raw (&v)[8], const F& f) {
  alignas(64) In x[kTile<W>];
  alignas(64) Out y[kTile<W>];
  std::memcpy(x, v, sizeof(x));
  for (int k = 0; k < kTile<W>; ++k) y[k] = static_cast<Out>(f(x[k], k));
  std::memcpy(v, y, sizeof(y));
}

template <int W, typename T, typename Out, typename F>
struct UnaryLoop {
  static inline void Do(const Step&, Frame&, Raw (&v)[8]) {
    ForEachValue<W, T, Out>(v, [](T x, int) { return F()(x); });
  }
};

template <int W, typename T, typename Out, typename F, bool kReversed>
struct BinaryLoop {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const T* const z = Values<T>(f, s.operand);
    ForEachValue<W, T, Out>(
        v, [z](T x, int k) { return kReversed ? F()(z[k], x) : F()(x, z[k]); });
  }
};

template <int W, typename T, typename Out, typename F>
StepFunction LoopOf(const StepForm& form) {
  return form.reversed ? Erased(Execute<BinaryLoop<W, T, Out, F, true>>)
                       : Erased(Execute<BinaryLoop<W, T, Out, F, false>>);
}

#define CONCORD_MEANING(Name)                 \
  struct Name##Of {                           \
    template <typename... T>                  \
    auto operator()(T... x) const {           \
      return expression::meaning::Name(x...); \
    }                                         \
  };
CONCORD_MEANING(Popcount)
CONCORD_MEANING(Clz)
CONCORD_MEANING(Ctz)
CONCORD_MEANING(Sqrt)
CONCORD_MEANING(Floor)
CONCORD_MEANING(Ceil)
CONCORD_MEANING(Trunc)
CONCORD_MEANING(Round)
CONCORD_MEANING(IsNan)
CONCORD_MEANING(Divide)
CONCORD_MEANING(Remainder)
CONCORD_MEANING(ShiftLeft)
CONCORD_MEANING(ShiftRight)
CONCORD_MEANING(Equal)
CONCORD_MEANING(Less)
CONCORD_MEANING(LessEqual)
#undef CONCORD_MEANING

// A bool, as a byte.
template <int W, typename T>
StepFunction ComparisonOf(const StepForm& form) {
  switch (form.op) {
    case Op::kEqual:
      return Erased(Execute<BinaryLoop<W, T, std::uint8_t, EqualOf, false>>);
    case Op::kLess:
      return LoopOf<W, T, std::uint8_t, LessOf>(form);
    case Op::kLessEqual:
      return LoopOf<W, T, std::uint8_t, LessEqualOf>(form);
    default:
      return nullptr;
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
