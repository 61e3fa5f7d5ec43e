// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/notation.h"

#include "absl/strings/str_cat.h"

namespace concord::expression {

absl::Span<const Notation> BinaryOperators() {
  static constexpr Notation kOperators[] = {
      {"||", Op::kOr, 1, false, false, Notation::kBools},
      {"&&", Op::kAnd, 2, false, false, Notation::kBools},
      {"==", Op::kEqual, kComparisonLevel},
      {"!=", Op::kEqual, kComparisonLevel, false, true},
      {"<", Op::kLess, kComparisonLevel},
      {"<=", Op::kLessEqual, kComparisonLevel},
      {">", Op::kLess, kComparisonLevel, true},
      {">=", Op::kLessEqual, kComparisonLevel, true},
      {"|", Op::kOr, 4},
      {"^", Op::kXor, 5},
      {"&", Op::kAnd, 6},
      {"<<", Op::kShiftLeft, 7},
      {">>", Op::kShiftRight, 7},
      {"+", Op::kAdd, 8},
      {"-", Op::kSubtract, 8},
      {"*", Op::kMultiply, 9},
      {"/", Op::kDivide, 9},
      {"%", Op::kRemainder, 9},
  };
  return kOperators;
}

absl::Span<const Notation> UnaryOperators() {
  static constexpr Notation kOperators[] = {
      {"-", Op::kNegate},
      {"!", Op::kNot, 0, false, false, Notation::kBools},
      {"~", Op::kNot, 0, false, false, Notation::kIntegers},
  };
  return kOperators;
}

absl::Span<const Notation> NamedFunctions() {
  static constexpr Notation kFunctions[] = {
      {"min", Op::kMinimum}, {"max", Op::kMaximum},       {"abs", Op::kAbs},
      {"sqrt", Op::kSqrt},   {"floor", Op::kFloor},       {"ceil", Op::kCeil},
      {"trunc", Op::kTrunc}, {"round", Op::kRound},       {"fma", Op::kFma},
      {"isnan", Op::kIsNan}, {"popcount", Op::kPopcount}, {"clz", Op::kClz},
      {"ctz", Op::kCtz},     {"select", Op::kSelect},
  };
  return kFunctions;
}

const Notation* FindNotation(absl::Span<const Notation> notations,
                             absl::string_view text) {
  for (const Notation& notation : notations) {
    if (notation.text == text) return &notation;
  }
  return nullptr;
}

const Notation& NotationOf(Op op, Type type) {
  for (absl::Span<const Notation> notations :
       {BinaryOperators(), UnaryOperators(), NamedFunctions()}) {
    for (const Notation& notation : notations) {
      const bool fits =
          notation.only == Notation::kNoOther ||
          (notation.only == Notation::kBools) == (type == Type::kBool);
      if (notation.op == op && fits && !notation.swap && !notation.invert) {
        return notation;
      }
    }
  }
  __builtin_unreachable();  // the tables have every operation
}

bool IsReserved(absl::string_view word) {
  return TypeNamed(word).has_value() || word == kClamp || word == "true" ||
         word == "false" || word == "inf" || word == "nan" ||
         FindNotation(NamedFunctions(), word) != nullptr;
}

std::string CallableNames() {
  std::string names;
  for (const Notation& notation : NamedFunctions()) {
    absl::StrAppend(&names, notation.text, " ");
  }
  absl::StrAppend(&names, kClamp);
  for (Type type : AllTypes()) absl::StrAppend(&names, " ", Name(type));
  return names;
}

}  // namespace concord::expression
