// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/loop_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

template <int W, typename T>
struct FmaLoop {
  static inline void Do(const Step& s, Frame& f, Raw (&v)[8]) {
    const T* const y = Values<T>(f, s.operand);
    const T* const z = Values<T>(f, s.third);
    ForEachValue<W, T, T>(
        v, [=](T x, int k) { return expression::meaning::Fma(x, y[k], z[k]); });
  }
};

template <int W, typename T>
StepFunction FloatLoopOf(const StepForm& form) {
  switch (form.op) {
    case Op::kSqrt:
      return Erased(Execute<UnaryLoop<W, T, T, SqrtOf>>);
    case Op::kFloor:
      return Erased(Execute<UnaryLoop<W, T, T, FloorOf>>);
    case Op::kCeil:
      return Erased(Execute<UnaryLoop<W, T, T, CeilOf>>);
    case Op::kTrunc:
      return Erased(Execute<UnaryLoop<W, T, T, TruncOf>>);
    case Op::kRound:
      return Erased(Execute<UnaryLoop<W, T, T, RoundOf>>);
    case Op::kIsNan:
      return Erased(Execute<UnaryLoop<W, T, std::uint8_t, IsNanOf>>);
    case Op::kFma:
      return Erased(Execute<FmaLoop<W, T>>);
    default:
      return ComparisonOf<W, T>(form);
  }
}

inline StepFunction FloatLoop(const StepForm& form) {
  if (form.type == Type::kFloat64) return FloatLoopOf<8, double>(form);
  if (form.type != Type::kFloat32) return nullptr;
  return form.width == 8 ? FloatLoopOf<8, float>(form)
                         : FloatLoopOf<4, float>(form);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
