// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions put together. Many of them go into one Graph, where equal parts
// become one; what a few of its nodes need is then a function again. Bits stay
// as if each function had been evaluated by itself: no operation tells one NaN
// from another.
//
// Example, g(f(x)):
//   Graph graph;
//   const int x = graph.Add({Op::kParameter, Type::kInt32});
//   const std::vector<int> inner = Inline(f, {{x}}, graph);
//   const std::vector<int> outer = Inline(g, {inner}, graph);
//   absl::StatusOr<Extracted> both = Extract(graph, outer);

#ifndef CONCORD_CORE_EXPRESSION_COMPOSE_H_
#define CONCORD_CORE_EXPRESSION_COMPOSE_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/graph.h"

namespace concord::expression {

// What stands in a graph for the leaves of a function that is added to it.
struct Substitution {
  // For each parameter, a node of its type.
  std::vector<int> parameters = {};
  // For each table, its number in the graph.
  std::vector<int> tables = {};
  // A node for the index; -1 leaves it the index.
  int index = -1;
};

// Adds the function's nodes to a graph. Returns those of its results.
std::vector<int> Inline(const Function& function,
                        const Substitution& substitution, Graph& graph);

// The nodes that `results` need, these among them, in ascending order.
std::vector<int> NeededNodes(const Graph& graph, absl::Span<const int> results);

struct Extracted {
  Function function;
  // Numbers in the graph of the function's parameters and tables.
  std::vector<int> parameters;
  std::vector<int> tables;
};

// The function of these results. Its parameters and tables are those that they
// need, in the order of their numbers in the graph. InvalidArgument if there
// are more than a function can have.
absl::StatusOr<Extracted> Extract(const Graph& graph,
                                  absl::Span<const int> results);

// The same with parameters and tables that are given. In place of others stands
// 0: for results that need others for what nobody looks at.
absl::StatusOr<Function> ExtractOver(const Graph& graph,
                                     absl::Span<const int> results,
                                     const Scope& scope,
                                     absl::Span<const int> parameters,
                                     absl::Span<const int> tables);

// A function of values of these types: `build` adds its results to a graph in
// which the nodes `parameters` are the values.
absl::StatusOr<Function> FunctionOver(
    const std::vector<Type>& types,
    const std::function<std::vector<int>(
        Graph& graph, const std::vector<int>& parameters)>& build);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_COMPOSE_H_
