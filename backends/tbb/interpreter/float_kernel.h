// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/vector_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

template <int W, typename T>
StepFunction FloatStepOf(const StepForm& form) {
  if (form.kind == StepForm::Kind::kChoose) return ChooseBy<W, T>(form);
  switch (form.op) {
    case Op::kNegate:
      return Erased(Execute<Unary<W, T, Op::kNegate>>);
    case Op::kAbs:
      return Erased(Execute<Unary<W, T, Op::kAbs>>);
    case Op::kAdd:
      return CommutingOf<W, T, Op::kAdd>(form);
    case Op::kSubtract:
      return BinaryOf<W, T, Op::kSubtract>(form);
    case Op::kMultiply:
      return CommutingOf<W, T, Op::kMultiply>(form);
    case Op::kDivide:
      return BinaryOf<W, T, Op::kDivide>(form);
    case Op::kMinimum:
      return CommutingOf<W, T, Op::kMinimum>(form);
    case Op::kMaximum:
      return CommutingOf<W, T, Op::kMaximum>(form);
    default:
      return nullptr;
  }
}

inline StepFunction FloatStep(const StepForm& form) {
  if (form.type == Type::kFloat64) return FloatStepOf<8, double>(form);
  if (form.type != Type::kFloat32) return nullptr;
  return form.width == 8 ? FloatStepOf<8, float>(form)
                         : FloatStepOf<4, float>(form);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
