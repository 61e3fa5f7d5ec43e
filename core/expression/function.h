// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_FUNCTION_H_
#define CONCORD_CORE_EXPRESSION_FUNCTION_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/element_type.h"
#include "concord/core/expression/canonical_form.h"
#include "concord/core/expression/graph.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// What a function can have at most. A text of more is an error, not a crash.
inline constexpr int kMostNodes = 4096;
inline constexpr int kMostParameters = 16;
inline constexpr int kMostTables = 8;
inline constexpr int kMostResults = 16;

// "a function has at most 4096 different operations".
absl::Status TooManyNodes();

// A value that a function is applied to, at each index another one.
struct Parameter {
  std::string name;
  Type type;
};

// An array from which a function reads elements at indices that it computes.
struct Table {
  std::string name;
  ElementType type;
};

// What a function may name.
struct Scope {
  std::vector<Parameter> parameters;
  std::vector<Table> tables = {};

  // "x", "y", "z", "w" of these types, then "x4" and so on.
  static Scope OfColumns(absl::Span<const Type> types);
};

// A function of the user's: parameters and the index -> a tuple of results. It
// is a value, in canonical form (canonical_form.h), and total: every operation
// has a result for every operand (operations.h).
class Function {
 public:
  // From nodes whose operands stand before them. InvalidArgument where they are
  // not a function: types that do not fit, numbers of operands, parameters or
  // tables that do not exist, no results, more than there can be.
  static absl::StatusOr<Function> Create(Scope scope, Nodes nodes);

  const Scope& scope() const { return scope_; }
  const std::vector<Parameter>& parameters() const { return scope_.parameters; }
  const std::vector<Table>& tables() const { return scope_.tables; }
  const Nodes& form() const { return form_; }
  const std::vector<Node>& nodes() const { return form_.nodes; }
  const std::vector<int>& results() const { return form_.results; }

  std::vector<Type> ParameterTypes() const;
  std::vector<Type> ResultTypes() const;
  // Nodes that are not leaves: what has to be computed for each element.
  int CountOperations() const;

  // The same parameters, tables and nodes. Names do not count.
  friend bool operator==(const Function& x, const Function& y);
  friend bool operator!=(const Function& x, const Function& y) {
    return !(x == y);
  }

 private:
  Function(Scope scope, Nodes form)
      : scope_(std::move(scope)), form_(std::move(form)) {}

  Scope scope_;
  Nodes form_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_FUNCTION_H_
