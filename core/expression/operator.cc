// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/operator.h"

#include <cstddef>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/operator_laws.h"
#include "concord/core/expression/parser.h"
#include "concord/core/guarded.h"
#include "concord/core/operators.h"

namespace concord::expression {
namespace {

template <typename T>
std::optional<Word> IdentityOf(Op op) {
  if constexpr (std::is_integral_v<T>) {
    if (op == Op::kAnd) return ToWord(And<T>::Identity());
    if (op == Op::kOr) return ToWord(Or<T>::Identity());
    if (op == Op::kXor) return ToWord(Xor<T>::Identity());
  }
  if (op == Op::kAdd) return ToWord(Add<T>::Identity());
  if (op == Op::kMultiply) return ToWord(Multiply<T>::Identity());
  if (op == Op::kMinimum) return ToWord(Minimum<T>::Identity());
  if (op == Op::kMaximum) return ToWord(Maximum<T>::Identity());
  return std::nullopt;
}

std::optional<Word> IdentityOf(Op op, Type type) {
  if (type == Type::kBool) {
    if (op == Op::kAnd) return Word{1};
    if (op == Op::kOr || op == Op::kXor) return Word{0};
    return std::nullopt;
  }
  return Dispatch(StoredAs(type), [op](auto tag) {
    return IdentityOf<typename decltype(tag)::type>(op);
  });
}

// What combines value k of one tuple with value k of the other, if that is one
// operation and gives value k of the result.
std::optional<Op> CombinesAlone(const Function& function, std::size_t k) {
  const std::size_t size = function.results().size();
  const Node& node =
      function.nodes()[static_cast<std::size_t>(function.results()[k])];
  if (OperandsOf(node.op) != 2) return std::nullopt;
  const auto is_parameter = [&](int operand, std::size_t number) {
    const Node& leaf = function.nodes()[operand];
    return leaf.op == Op::kParameter && leaf.bits == number;
  };
  // In canonical form, the operand of the first tuple is first.
  if (is_parameter(node.a, k) && is_parameter(node.b, k + size)) return node.op;
  return std::nullopt;
}

std::optional<std::vector<Word>> KnownIdentity(const Function& function,
                                               const std::vector<Type>& types) {
  std::vector<Word> identity;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::optional<Op> op = CombinesAlone(function, k);
    if (!op.has_value()) return std::nullopt;
    const std::optional<Word> value = IdentityOf(*op, types[k]);
    if (!value.has_value()) return std::nullopt;
    identity.push_back(*value);
  }
  return identity;
}

absl::Status CheckForm(const Function& function) {
  const std::vector<Type> types = function.ResultTypes();
  std::vector<Type> both = types;
  both.insert(both.end(), types.begin(), types.end());
  if (function.ParameterTypes() != both) {
    return absl::InvalidArgumentError(
        "an operator takes the values of two tuples and gives one of the same "
        "types");
  }
  for (const Node& node : function.nodes()) {
    if (node.op == Op::kIndex || node.op == Op::kGather) {
      return absl::InvalidArgumentError(
          "an operator has neither an index nor tables");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIdentity(const std::vector<Type>& types,
                           const std::vector<Word>& identity) {
  if (identity.size() == types.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the identity has ", identity.size(),
                   " values, and the operator's tuples ", types.size()));
}

}  // namespace

absl::StatusOr<Operator> Operator::Create(Function function,
                                          OperatorClaims claims,
                                          absl::string_view leaves_out_trial) {
  return Guarded([&]() -> absl::StatusOr<Operator> {
    absl::Status status = CheckForm(function);
    if (!status.ok()) return status;
    std::vector<Type> types = function.ResultTypes();
    const bool identity_claimed = claims.identity.has_value();
    if (identity_claimed) {
      status = CheckIdentity(types, *claims.identity);
      if (!status.ok()) return status;
      for (std::size_t k = 0; k < types.size(); ++k) {
        (*claims.identity)[k] = Canonical(types[k], (*claims.identity)[k]);
      }
    } else {
      claims.identity = KnownIdentity(function, types);
    }
    Operator op(std::move(function), std::move(types));
    op.identity_ = std::move(claims.identity);
    if (op.types_.size() == 1) {
      const std::optional<Op> alone = CombinesAlone(op.function_, 0);
      if (alone.has_value() && IdentityOf(*alone, op.types_[0]).has_value()) {
        op.built_in_ = alone;
      }
    }
    // The laws of built-in ones, with their own identities, are known.
    const bool known = op.built_in_.has_value() && !identity_claimed;
    if (claims.associative_assumed || known) return op;
    status = TryLaws(op);
    if (status.ok()) return op;
    return absl::InvalidArgumentError(absl::StrCat(
        status.message(), "; ", leaves_out_trial, " leaves out this trial"));
  });
}

absl::StatusOr<Operator> Operator::Parse(absl::string_view text,
                                         absl::Span<const Type> types,
                                         OperatorClaims claims) {
  return Guarded([&]() -> absl::StatusOr<Operator> {
    absl::StatusOr<Function> function = ParseOperator(text, types);
    if (!function.ok()) return function.status();
    return Create(*std::move(function), std::move(claims));
  });
}

std::vector<Word> Operator::Apply(absl::Span<const Word> a,
                                  absl::Span<const Word> b) const {
  std::vector<Word> arguments;
  arguments.reserve(a.size() + b.size());
  arguments.assign(a.begin(), a.end());
  arguments.insert(arguments.end(), b.begin(), b.end());
  return Evaluate(function_, arguments).results;
}

}  // namespace concord::expression
