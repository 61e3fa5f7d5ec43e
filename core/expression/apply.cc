// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/apply.h"

#include <type_traits>

#include "concord/core/expression/operations.h"
#include "concord/core/operators.h"

namespace concord::expression {
namespace {

Word ApplyToBools(Op op, bool a, bool b) {
  switch (op) {
    case Op::kNot:
      return meaning::Not(a);
    case Op::kAnd:
      return meaning::And(a, b);
    case Op::kOr:
      return meaning::Or(a, b);
    case Op::kXor:
      return meaning::Xor(a, b);
    default:
      return meaning::Equal(a, b);
  }
}

template <typename T>
T ApplyToFloats(Op op, T a, T b, T c) {
  switch (op) {
    case Op::kSqrt:
      return meaning::Sqrt(a);
    case Op::kFloor:
      return meaning::Floor(a);
    case Op::kCeil:
      return meaning::Ceil(a);
    case Op::kTrunc:
      return meaning::Trunc(a);
    case Op::kRound:
      return meaning::Round(a);
    default:
      return meaning::Fma(a, b, c);
  }
}

template <typename T>
T ApplyToIntegers(Op op, T a, T b) {
  switch (op) {
    case Op::kNot:
      return meaning::Not(a);
    case Op::kPopcount:
      return meaning::Popcount(a);
    case Op::kClz:
      return meaning::Clz(a);
    case Op::kCtz:
      return meaning::Ctz(a);
    case Op::kRemainder:
      return meaning::Remainder(a, b);
    case Op::kAnd:
      return meaning::And(a, b);
    case Op::kOr:
      return meaning::Or(a, b);
    case Op::kXor:
      return meaning::Xor(a, b);
    case Op::kShiftLeft:
      return meaning::ShiftLeft(a, b);
    default:
      return meaning::ShiftRight(a, b);
  }
}

// What gives a number for numbers.
template <typename T>
T ApplyToNumbers(Op op, T a, T b, T c) {
  switch (op) {
    case Op::kNegate:
      return meaning::Negate(a);
    case Op::kAbs:
      return meaning::Abs(a);
    case Op::kAdd:
      return meaning::Add(a, b);
    case Op::kSubtract:
      return meaning::Subtract(a, b);
    case Op::kMultiply:
      return meaning::Multiply(a, b);
    case Op::kDivide:
      return meaning::Divide(a, b);
    case Op::kMinimum:
      return meaning::Minimum(a, b);
    case Op::kMaximum:
      return meaning::Maximum(a, b);
    default:
      if constexpr (std::is_floating_point_v<T>) {
        return ApplyToFloats(op, a, b, c);
      } else {
        return ApplyToIntegers(op, a, b);
      }
  }
}

template <typename T>
Word ApplyTyped(Op op, T a, T b, T c) {
  switch (op) {
    case Op::kEqual:
      return meaning::Equal(a, b);
    case Op::kLess:
      return meaning::Less(a, b);
    case Op::kLessEqual:
      return meaning::LessEqual(a, b);
    case Op::kIsNan:
      return meaning::IsNan(a);
    default:
      return ToWord(CanonicalNan(ApplyToNumbers(op, a, b, c)));
  }
}

}  // namespace

Word Apply(Op op, Type type, Word a, Word b, Word c) {
  if (op == Op::kSelect) return meaning::Select(a != 0, b, c);
  return Dispatch(type, [=](auto tag) -> Word {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>) {
      return ApplyToBools(op, a != 0, b != 0);
    } else {
      return ApplyTyped(op, FromWord<T>(a), FromWord<T>(b), FromWord<T>(c));
    }
  });
}

Word Cast(Type from, Type to, Word word) {
  return Dispatch(from, [=](auto source) {
    return Dispatch(to, [=](auto target) {
      using From = typename decltype(source)::type;
      using To = typename decltype(target)::type;
      return ToWord(CanonicalNan(meaning::Cast<To>(FromWord<From>(word))));
    });
  });
}

}  // namespace concord::expression
