// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_OPERATION_H_
#define CONCORD_CORE_EXPRESSION_OPERATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// Which operands an operation is for.
enum class Takes : std::uint8_t { kAll, kNumbers, kIntegers, kFloats, kBits };

// What a function is made of: X(enumerator, name, operands, takes).
//
// All operands have one type, which is that of the result, except that
//   kEqual, kLess, kLessEqual, kIsNan   give a bool
//   kSelect                             has a bool as its first operand
//   kCast                               gives the type that its node says
//   kGather                             takes an int64, and gives an element of
//                                       the table whose number its node has
// kBits is integers and bools. operations.h has the meaning of each. There is
// no greater and no unequal: they are kLess with its operands exchanged, and
// the kNot of kEqual.
#define CONCORD_FOR_EACH_OPERATION(X)    \
  X(kParameter, "a parameter", 0, kAll)  \
  X(kIndex, "i", 0, kAll)                \
  X(kConstant, "a constant", 0, kAll)    \
  X(kCast, "a cast", 1, kAll)            \
  X(kGather, "a table", 1, kIntegers)    \
  X(kNegate, "-", 1, kNumbers)           \
  X(kNot, "~", 1, kBits)                 \
  X(kAbs, "abs", 1, kNumbers)            \
  X(kSqrt, "sqrt", 1, kFloats)           \
  X(kFloor, "floor", 1, kFloats)         \
  X(kCeil, "ceil", 1, kFloats)           \
  X(kTrunc, "trunc", 1, kFloats)         \
  X(kRound, "round", 1, kFloats)         \
  X(kIsNan, "isnan", 1, kFloats)         \
  X(kPopcount, "popcount", 1, kIntegers) \
  X(kClz, "clz", 1, kIntegers)           \
  X(kCtz, "ctz", 1, kIntegers)           \
  X(kAdd, "+", 2, kNumbers)              \
  X(kSubtract, "-", 2, kNumbers)         \
  X(kMultiply, "*", 2, kNumbers)         \
  X(kDivide, "/", 2, kNumbers)           \
  X(kRemainder, "%", 2, kIntegers)       \
  X(kMinimum, "min", 2, kNumbers)        \
  X(kMaximum, "max", 2, kNumbers)        \
  X(kAnd, "&", 2, kBits)                 \
  X(kOr, "|", 2, kBits)                  \
  X(kXor, "^", 2, kBits)                 \
  X(kShiftLeft, "<<", 2, kIntegers)      \
  X(kShiftRight, ">>", 2, kIntegers)     \
  X(kEqual, "==", 2, kAll)               \
  X(kLess, "<", 2, kNumbers)             \
  X(kLessEqual, "<=", 2, kNumbers)       \
  X(kFma, "fma", 3, kFloats)             \
  X(kSelect, "select", 3, kAll)

enum class Op : std::uint8_t {
#define CONCORD_ENUMERATOR(enumerator, name, operands, takes) enumerator,
  CONCORD_FOR_EACH_OPERATION(CONCORD_ENUMERATOR)
#undef CONCORD_ENUMERATOR
};

// Every one, in the order of the list.
const std::vector<Op>& AllOperations();

absl::string_view Name(Op op);
int OperandsOf(Op op);

constexpr bool IsLeaf(Op op) { return op <= Op::kConstant; }
constexpr bool IsComparison(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kLessEqual;
}

// Whether values of the type are among the operands. Of kSelect, those that it
// chooses from.
bool IsFor(Op op, Type type);

// Whether op(a, b) is op(b, a), but for the bits of a NaN.
bool Commutes(Op op);

// Whether op(op(a, b), c) is op(a, op(b, c)), but for the bits of a NaN, too.
// Sums and products of floats are not: each rounds.
bool Associates(Op op, Type type);

// Whether op(a, a) is a.
bool IsIdempotent(Op op);

// The type of the result for operands of these types: of all operations but
// leaves, kCast and kGather. InvalidArgument says in words what is wrong, with
// `name` for the operation.
absl::StatusOr<Type> ResultType(Op op, absl::string_view name,
                                absl::Span<const Type> operands);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_OPERATION_H_
