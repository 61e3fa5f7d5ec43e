// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/operation.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace concord::expression {
namespace {

struct Row {
  absl::string_view name;
  int operands;
  Takes takes;
};

const Row& RowOf(Op op) {
  static constexpr Row kRows[] = {
#define CONCORD_ROW(enumerator, name, operands, takes) \
  {name, operands, Takes::takes},
      CONCORD_FOR_EACH_OPERATION(CONCORD_ROW)
#undef CONCORD_ROW
  };
  return kRows[static_cast<int>(op)];
}

// "int32 + int64: convert one side, such as int64(...)". The suggestion is the
// type that comes last in the list, which is the wider one.
absl::Status TypesDiffer(absl::string_view name,
                         absl::Span<const Type> operands) {
  const auto format = [](std::string* out, Type type) {
    absl::StrAppend(out, Name(type));
  };
  const absl::string_view wider =
      Name(*std::max_element(operands.begin(), operands.end()));
  if (absl::ascii_isalpha(static_cast<unsigned char>(name[0]))) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, "(", absl::StrJoin(operands, ", ", format),
                     "): convert to one type, such as ", wider, "(...)"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(operands, absl::StrCat(" ", name, " "), format),
      ": convert one side, such as ", wider, "(...)"));
}

}  // namespace

const std::vector<Op>& AllOperations() {
  static const auto* const kOperations = new std::vector<Op>{
#define CONCORD_LIST(enumerator, name, operands, takes) Op::enumerator,
      CONCORD_FOR_EACH_OPERATION(CONCORD_LIST)
#undef CONCORD_LIST
  };
  return *kOperations;
}

absl::string_view Name(Op op) { return RowOf(op).name; }

int OperandsOf(Op op) { return RowOf(op).operands; }

bool IsFor(Op op, Type type) {
  switch (RowOf(op).takes) {
    case Takes::kAll:
      return true;
    case Takes::kNumbers:
      return type != Type::kBool;
    case Takes::kIntegers:
      return IsInteger(type);
    case Takes::kFloats:
      return IsFloat(type);
    case Takes::kBits:
      return !IsFloat(type);
  }
  return false;
}

bool Commutes(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kMultiply:
    case Op::kMinimum:
    case Op::kMaximum:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kEqual:
      return true;
    default:
      return false;
  }
}

bool Associates(Op op, Type type) {
  if (op == Op::kEqual || !Commutes(op)) return false;
  return !IsFloat(type) || op == Op::kMinimum || op == Op::kMaximum;
}

bool IsIdempotent(Op op) {
  return op == Op::kMinimum || op == Op::kMaximum || op == Op::kAnd ||
         op == Op::kOr;
}

absl::StatusOr<Type> ResultType(Op op, absl::string_view name,
                                absl::Span<const Type> operands) {
  if (op == Op::kSelect) {
    if (operands[0] != Type::kBool) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a condition is a bool, this is ", WithArticle(operands[0])));
    }
    operands.remove_prefix(1);
  }
  for (Type type : operands) {
    if (type != operands[0]) return TypesDiffer(name, operands);
  }
  if (!IsFor(op, operands[0])) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "' is not for ", Name(operands[0])));
  }
  return IsComparison(op) || op == Op::kIsNan ? Type::kBool : operands[0];
}

}  // namespace concord::expression
