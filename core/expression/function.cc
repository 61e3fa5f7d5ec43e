// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/function.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "concord/core/expression/notation.h"
#include "concord/core/expression/operation.h"

namespace concord::expression {
namespace {

absl::Status CheckNumber(std::int64_t number, std::size_t count,
                         absl::string_view what) {
  if (number >= 0 && number < static_cast<std::int64_t>(count)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no ", what, " ", number, "; there are ", count));
}

// Whether the bits are a value of the type.
bool IsValue(Type type, Word bits) {
  return Dispatch(type, [bits](auto tag) {
    return ToWord(FromWord<typename decltype(tag)::type>(bits)) == bits;
  });
}

absl::StatusOr<Type> TypeOf(const Scope& scope, const Node& node,
                            absl::Span<const Type> operands) {
  const auto number = static_cast<std::int64_t>(node.bits);
  switch (node.op) {
    case Op::kParameter: {
      absl::Status known =
          CheckNumber(number, scope.parameters.size(), "parameter");
      if (!known.ok()) return known;
      return scope.parameters[node.bits].type;
    }
    case Op::kIndex:
      return Type::kInt64;
    case Op::kConstant:
      if (!IsValue(node.type, node.bits)) {
        return absl::InvalidArgumentError(absl::StrCat(
            absl::Hex(node.bits), " is not ", WithArticle(node.type)));
      }
      return node.type;
    case Op::kCast:
      return node.type;
    case Op::kGather: {
      absl::Status known = CheckNumber(number, scope.tables.size(), "table");
      if (!known.ok()) return known;
      if (operands[0] != Type::kInt64) {
        return absl::InvalidArgumentError(
            absl::StrCat("the index of a table is an int64, this is ",
                         WithArticle(operands[0])));
      }
      return ValueTypeOf(scope.tables[node.bits].type);
    }
    default:
      return ResultType(node.op, Name(node.op), operands);
  }
}

absl::Status CheckNode(const Scope& scope, const std::vector<Node>& nodes,
                       std::size_t k) {
  const Node& node = nodes[k];
  std::vector<Type> operands;
  for (int operand : {node.a, node.b, node.c}) {
    const bool wanted = static_cast<int>(operands.size()) < OperandsOf(node.op);
    if (!wanted && operand == -1) continue;
    absl::Status known = CheckNumber(operand, wanted ? k : 0, "operand");
    if (!known.ok()) return known;
    operands.push_back(nodes[operand].type);
  }
  absl::StatusOr<Type> type = TypeOf(scope, node, operands);
  if (!type.ok()) return type.status();
  if (*type == node.type) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", Name(node.op), "' gives ",
                                                 WithArticle(*type), " here"));
}

absl::Status CheckCount(std::size_t count, int most, absl::string_view what) {
  if (count <= static_cast<std::size_t>(most)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a function has at most ", most, " ", what, ", this has ", count));
}

// Names can be written in a text, where they mean one thing each.
absl::Status CheckNames(const Scope& scope, const Nodes& from) {
  std::set<absl::string_view> names;
  for (const Node& node : from.nodes) {
    if (node.op == Op::kIndex) names.insert("i");
  }
  std::vector<absl::string_view> all;
  for (const Parameter& parameter : scope.parameters) {
    all.push_back(parameter.name);
  }
  for (const Table& table : scope.tables) all.push_back(table.name);
  for (absl::string_view name : all) {
    const bool is_word =
        !name.empty() && !absl::ascii_isdigit(name[0]) &&
        std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return absl::ascii_isalnum(c) || c == '_';
        });
    if (!is_word || IsReserved(name) || !names.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' cannot be a name here"));
    }
  }
  return absl::OkStatus();
}

absl::Status Check(const Scope& scope, const Nodes& from) {
  // Some may turn out to be the same, or not to be needed.
  if (from.nodes.size() > 2 * static_cast<std::size_t>(kMostNodes)) {
    return TooManyNodes();
  }
  for (absl::Status status :
       {CheckCount(scope.parameters.size(), kMostParameters, "parameters"),
        CheckCount(scope.tables.size(), kMostTables, "tables"),
        CheckCount(from.results.size(), kMostResults, "results")}) {
    if (!status.ok()) return status;
  }
  for (std::size_t k = 0; k < from.nodes.size(); ++k) {
    absl::Status status = CheckNode(scope, from.nodes, k);
    if (!status.ok()) return status;
  }
  for (int result : from.results) {
    absl::Status status = CheckNumber(result, from.nodes.size(), "node");
    if (!status.ok()) return status;
  }
  absl::Status names = CheckNames(scope, from);
  if (!names.ok()) return names;
  if (!from.results.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("a function has a result");
}

}  // namespace

absl::Status TooManyNodes() {
  return absl::InvalidArgumentError(absl::StrCat(
      "a function has at most ", kMostNodes, " different operations"));
}

Scope Scope::OfColumns(absl::Span<const Type> types) {
  static constexpr absl::string_view kNames[] = {"x", "y", "z", "w"};
  Scope scope;
  for (std::size_t k = 0; k < types.size(); ++k) {
    scope.parameters.push_back(
        {k < 4 ? std::string(kNames[k]) : absl::StrCat("x", k), types[k]});
  }
  return scope;
}

absl::StatusOr<Function> Function::Create(Scope scope, Nodes nodes) {
  absl::Status status = Check(scope, nodes);
  if (!status.ok()) return status;
  nodes = CanonicalForm(std::move(nodes));
  if (nodes.nodes.size() > static_cast<std::size_t>(kMostNodes)) {
    return TooManyNodes();
  }
  return Function(std::move(scope), std::move(nodes));
}

std::vector<Type> Function::ParameterTypes() const {
  std::vector<Type> types;
  for (const Parameter& parameter : parameters()) {
    types.push_back(parameter.type);
  }
  return types;
}

std::vector<Type> Function::ResultTypes() const {
  std::vector<Type> types;
  for (int result : results()) types.push_back(nodes()[result].type);
  return types;
}

int Function::CountOperations() const {
  int count = 0;
  for (const Node& node : nodes()) count += IsLeaf(node.op) ? 0 : 1;
  return count;
}

bool operator==(const Function& x, const Function& y) {
  const auto same_type = [](const Table& a, const Table& b) {
    return a.type == b.type;
  };
  return x.ParameterTypes() == y.ParameterTypes() && x.form_ == y.form_ &&
         std::equal(x.tables().begin(), x.tables().end(), y.tables().begin(),
                    y.tables().end(), same_type);
}

}  // namespace concord::expression
