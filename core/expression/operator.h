// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_OPERATOR_H_
#define CONCORD_CORE_EXPRESSION_OPERATOR_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// What is said of an operator when it is made.
struct OperatorClaims {
  // e with e op x = x op e = x. Where it is not given, that of + * min max & |
  // ^ is known, also of tuples whose values are combined by these, each with
  // its own.
  std::optional<std::vector<Word>> identity = std::nullopt;
  // Leaves out the trial of the laws.
  bool associative_assumed = false;
};

inline OperatorClaims WithIdentity(std::vector<Word> identity) {
  return {std::move(identity)};
}
inline OperatorClaims AssumeAssociative(OperatorClaims claims = {}) {
  claims.associative_assumed = true;
  return claims;
}

// A binary operator on values or tuples, commutative or not: what reductions
// and scans combine elements with. Its laws,
//
//   (a op b) op c = a op (b op c)     e op a = a op e = a
//
// are tried on 1000 random tuples of small whole numbers (and numbers beside
// those that stand in the operator) when it is made. That finds mistakes; it is
// no proof, and says nothing about numbers that are large. The trial is the
// same in every run.
class Operator {
 public:
  // `function` takes the values of two tuples, one after the other, and gives
  // those of a third. InvalidArgument where it does not, where it needs the
  // index or a table, where the identity is not of its types, and where a law
  // fails; that shows the values, and says what leaves out the trial.
  static absl::StatusOr<Operator> Create(
      Function function, OperatorClaims claims = {},
      absl::string_view leaves_out_trial = "AssumeAssociative()");

  // Of text, such as "a + b" or "(s, m), (t, n) -> (s + t, min(m, s + n))".
  //
  // Example:
  //   absl::StatusOr<Operator> sum = Operator::Parse("a + b", {Type::kInt32});
  static absl::StatusOr<Operator> Parse(absl::string_view text,
                                        absl::Span<const Type> types,
                                        OperatorClaims claims = {});

  const Function& function() const { return function_; }
  // Of a tuple.
  const std::vector<Type>& types() const { return types_; }
  const std::optional<std::vector<Word>>& identity() const { return identity_; }
  // kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr or kXor, if the operator is
  // that, on single values.
  std::optional<Op> built_in() const { return built_in_; }

  // a op b.
  std::vector<Word> Apply(absl::Span<const Word> a,
                          absl::Span<const Word> b) const;

 private:
  Operator(Function function, std::vector<Type> types)
      : function_(std::move(function)), types_(std::move(types)) {}

  Function function_;
  std::vector<Type> types_;
  std::optional<std::vector<Word>> identity_;
  std::optional<Op> built_in_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_OPERATOR_H_
