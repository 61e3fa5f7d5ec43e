// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/compose.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"

namespace concord::expression {
namespace {

// The place of `number` among `numbers`; their size if it is not there.
Word PlaceOf(int number, absl::Span<const int> numbers) {
  return static_cast<Word>(std::find(numbers.begin(), numbers.end(), number) -
                           numbers.begin());
}

void SetOperands(const std::vector<int>& numbers, Node& node) {
  for (int* operand : {&node.a, &node.b, &node.c}) {
    if (*operand >= 0) *operand = numbers[*operand];
  }
}

}  // namespace

std::vector<int> Inline(const Function& function,
                        const Substitution& substitution, Graph& graph) {
  std::vector<int> numbers;
  for (Node node : function.nodes()) {
    SetOperands(numbers, node);
    if (node.op == Op::kParameter) {
      numbers.push_back(substitution.parameters[node.bits]);
      continue;
    }
    if (node.op == Op::kIndex && substitution.index >= 0) {
      numbers.push_back(substitution.index);
      continue;
    }
    if (node.op == Op::kGather) {
      node.bits = static_cast<Word>(substitution.tables[node.bits]);
    }
    numbers.push_back(graph.Add(node));
  }
  std::vector<int> results;
  for (int result : function.results()) results.push_back(numbers[result]);
  return results;
}

std::vector<int> NeededNodes(const Graph& graph,
                             absl::Span<const int> results) {
  int last = -1;
  for (int result : results) last = std::max(last, result);
  std::vector<bool> needed(static_cast<std::size_t>(last + 1));
  for (int result : results) needed[result] = true;
  std::vector<int> nodes;
  for (int k = last; k >= 0; --k) {
    if (!needed[k]) continue;
    nodes.push_back(k);
    for (int operand : {graph[k].a, graph[k].b, graph[k].c}) {
      if (operand >= 0) needed[operand] = true;
    }
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

absl::StatusOr<Function> ExtractOver(const Graph& graph,
                                     absl::Span<const int> results,
                                     const Scope& scope,
                                     absl::Span<const int> parameters,
                                     absl::Span<const int> tables) {
  Nodes nodes;
  std::vector<int> numbers(static_cast<std::size_t>(graph.size()), -1);
  for (int number : NeededNodes(graph, results)) {
    Node node = graph[number];
    SetOperands(numbers, node);
    if (node.op == Op::kParameter || node.op == Op::kGather) {
      const absl::Span<const int> known =
          node.op == Op::kParameter ? parameters : tables;
      node.bits = PlaceOf(static_cast<int>(node.bits), known);
      if (node.bits == known.size()) {
        node = {Op::kConstant, node.type, -1, -1, -1, 0};
      }
    }
    numbers[number] = static_cast<int>(nodes.nodes.size());
    nodes.nodes.push_back(node);
  }
  for (int result : results) nodes.results.push_back(numbers[result]);
  return Function::Create(scope, std::move(nodes));
}

absl::StatusOr<Extracted> Extract(const Graph& graph,
                                  absl::Span<const int> results) {
  std::set<std::pair<int, Type>> parameters, tables;
  for (int number : NeededNodes(graph, results)) {
    const Node& node = graph[number];
    const std::pair leaf(static_cast<int>(node.bits), node.type);
    if (node.op == Op::kParameter) parameters.insert(leaf);
    if (node.op == Op::kGather) tables.insert(leaf);
  }
  std::vector<Type> types;
  std::vector<int> parameter_numbers, table_numbers;
  for (const auto& [number, type] : parameters) {
    types.push_back(type);
    parameter_numbers.push_back(number);
  }
  Scope scope = Scope::OfColumns(types);
  for (const auto& [number, type] : tables) {
    scope.tables.push_back(
        {absl::StrCat("t", table_numbers.size()), StoredAs(type)});
    table_numbers.push_back(number);
  }
  ASSIGN_OR_RETURN(
      Function function,
      ExtractOver(graph, results, scope, parameter_numbers, table_numbers));
  return Extracted{std::move(function), std::move(parameter_numbers),
                   std::move(table_numbers)};
}

absl::StatusOr<Function> FunctionOver(
    const std::vector<Type>& types,
    const std::function<std::vector<int>(
        Graph& graph, const std::vector<int>& parameters)>& build) {
  Graph graph;
  std::vector<int> parameters, numbers;
  for (std::size_t k = 0; k < types.size(); ++k) {
    parameters.push_back(
        graph.Add({Op::kParameter, types[k], -1, -1, -1, Word{k}}));
    numbers.push_back(static_cast<int>(k));
  }
  const std::vector<int> results = build(graph, parameters);
  return ExtractOver(graph, results, Scope::OfColumns(types), numbers, {});
}

}  // namespace concord::expression
