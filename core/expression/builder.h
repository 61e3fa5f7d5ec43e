// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_BUILDER_H_
#define CONCORD_CORE_EXPRESSION_BUILDER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/graph.h"
#include "concord/core/expression/literal.h"
#include "concord/core/expression/notation.h"
#include "concord/core/expression/text_error.h"

namespace concord::expression {

// A value in the making: a node, whose type is known; or numbers, and
// operations on numbers alone, which take their type from what they meet.
struct Term {
  // A number, or an operation on those before it (postfix notation).
  struct Untyped {
    std::size_t place;
    std::optional<Literal> literal;
    const Notation* notation = nullptr;
    int condition = -1;  // a node, for select
  };

  bool typed() const { return node >= 0; }

  std::size_t place = 0;  // where it begins in the text
  int node = -1;
  std::vector<Untyped> untyped = {};
};

// Makes functions from operations as they are written, with the rules for
// types: the parser and the expressions of C++ say what is applied to what.
// After an error, terms are anything.
class Builder {
 public:
  // `error` must outlive it.
  Builder(Scope scope, FirstError* error)
      : scope_(std::move(scope)), error_(error) {}

  const Scope& scope() const { return scope_; }

  Term Parameter(int number, std::size_t place = 0);
  Term Index(std::size_t place = 0);
  Term Constant(Type type, Word value, std::size_t place = 0);
  Term Number(Literal literal, std::size_t place = 0);

  // `place`: where the operation is written.
  Term Apply(const Notation& notation, std::vector<Term> operands,
             std::size_t place = 0);
  Term Clamp(std::vector<Term> operands, std::size_t place = 0);
  // The element of a table of the scope.
  Term Gather(int table, Term index, std::size_t place = 0);
  // A number of this type, or the value as one of it.
  Term CastTo(Type type, Term term, std::size_t place = 0);

  // The term as a node; numbers are of type `wanted`, and without one it is an
  // error.
  int Resolve(const Term& term, std::optional<Type> wanted);
  Type TypeOf(int node) const { return graph_[node].type; }
  const Node& operator[](int node) const { return graph_[node]; }

  // The error, without a place, or the function of these results.
  absl::StatusOr<Function> Build(std::vector<int> results) const;

 private:
  // Where numbers get their type from, for what is said if they are not of it.
  enum class Reason { kMeets, kIsAsked };

  Term TypedTerm(int node, std::size_t place) { return {place, node}; }
  Term Fail(std::size_t place, absl::string_view message);
  int Add(const Node& node, std::size_t place);
  int ApplyTyped(const Notation& notation, absl::string_view name,
                 absl::Span<const int> operands, std::size_t place);
  Term ApplyAs(const Notation& notation, absl::string_view name,
               std::vector<Term> operands, std::size_t place);
  Term JoinUntyped(const Notation& notation, absl::Span<Term> operands,
                   int condition, std::size_t place);
  int ResolveAs(const Term& term, Type type, Reason reason);
  int ResolveLiteral(const Term::Untyped& item, Type type, Reason reason);

  Scope scope_;
  FirstError* error_;
  Graph graph_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_BUILDER_H_
