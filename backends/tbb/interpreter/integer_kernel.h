// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/vector_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

// What does not look at the sign, of unsigned T.
template <int W, typename T>
StepFunction UnsignedStep(const StepForm& form) {
  switch (form.op) {
    case Op::kAdd:
      return CommutingOf<W, T, Op::kAdd>(form);
    case Op::kSubtract:
      return BinaryOf<W, T, Op::kSubtract>(form);
    case Op::kMultiply:
      return CommutingOf<W, T, Op::kMultiply>(form);
    case Op::kAnd:
      return CommutingOf<W, T, Op::kAnd>(form);
    case Op::kOr:
      return CommutingOf<W, T, Op::kOr>(form);
    case Op::kXor:
      return CommutingOf<W, T, Op::kXor>(form);
    case Op::kShiftLeft:
      if constexpr (sizeof(T) > 1) return BinaryOf<W, T, Op::kShiftLeft>(form);
      return nullptr;
    default:
      return nullptr;
  }
}

template <int W, typename T>
StepFunction OrderedStep(const StepForm& form) {
  if (form.kind == StepForm::Kind::kChoose) return ChooseBy<W, T>(form);
  switch (form.op) {
    case Op::kMinimum:
      return CommutingOf<W, T, Op::kMinimum>(form);
    case Op::kMaximum:
      return CommutingOf<W, T, Op::kMaximum>(form);
    case Op::kShiftRight:
      if constexpr (sizeof(T) > 1) return BinaryOf<W, T, Op::kShiftRight>(form);
      return nullptr;
    case Op::kAbs:
      if constexpr (std::is_signed_v<T>) {
        return Erased(Execute<Unary<W, T, Op::kAbs>>);
      }
      return nullptr;
    default:
      return nullptr;
  }
}

template <int W, typename T>
StepFunction IntegerStepOf(const StepForm& form) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                sizeof(T) <= W) {
    if constexpr (std::is_unsigned_v<T>) {
      if (form.kind == StepForm::Kind::kApply) {
        const StepFunction step = UnsignedStep<W, T>(form);
        if (step != nullptr) return step;
      }
    }
    return OrderedStep<W, T>(form);
  } else {
    return nullptr;
  }
}

template <int W>
StepFunction IntegerStep(const StepForm& form) {
  return expression::Dispatch(form.type, [&](auto tag) {
    return IntegerStepOf<W, typename decltype(tag)::type>(form);
  });
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
