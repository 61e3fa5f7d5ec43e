// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_NOTATION_H_
#define CONCORD_CORE_EXPRESSION_NOTATION_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/operation.h"

namespace concord::expression {

// How an operation is written, in text and in C++. Several may be one Op: a > b
// is b < a, a != b is !(a == b), && and & are the same for bools.
struct Notation {
  enum Only : std::uint8_t { kNoOther, kBools, kIntegers };

  absl::string_view text;
  Op op;
  // How tightly a binary operator binds; 0 for others.
  int level = 0;
  bool swap = false;
  bool invert = false;
  // For which operands only, of those that the operation takes.
  Only only = kNoOther;
};

// The levels of binary operators, from that of || up. As in Python, and unlike
// in C, comparisons bind less tightly than | ^ &. Operators of one level are
// taken from left to right, and comparisons do not chain at all.
inline constexpr int kLowestLevel = 1;
inline constexpr int kComparisonLevel = 3;

absl::Span<const Notation> BinaryOperators();
absl::Span<const Notation> UnaryOperators();
// What is written as a call: abs(x), min(a, b). Casts and clamp(x, low, high),
// which is min(max(x, low), high), are calls as well, but no operation.
absl::Span<const Notation> NamedFunctions();

// The one of this text; null if there is none.
const Notation* FindNotation(absl::Span<const Notation> notations,
                             absl::string_view text);

// How the operation is printed for operands of the type, of those that are
// neither swapped nor inverted.
const Notation& NotationOf(Op op, Type type);

inline constexpr absl::string_view kClamp = "clamp";

// Whether a name of the user's cannot be this: a type, a function, true, false,
// inf or nan.
bool IsReserved(absl::string_view word);

// "abs sqrt ... int8 ...": everything that can be called.
std::string CallableNames();

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_NOTATION_H_
