// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/fold_step.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/expression/compose.h"
#include "concord/core/expression/graph.h"

namespace concord::spliced {
namespace {

using expression::Function;
using expression::Op;
using expression::Type;
using expression::Word;

std::ptrdiff_t CountReads(const Function& function) {
  return std::count_if(
      function.nodes().begin(), function.nodes().end(),
      [](const expression::Node& node) { return node.op == Op::kGather; });
}

}  // namespace

std::optional<Function> StepOf(const PassFunctions& pass) {
  std::vector<Type> types = pass.prologue.ResultTypes();
  const std::size_t values = types.size();
  for (Type type : pass.prologue.ParameterTypes()) types.push_back(type);
  expression::Graph graph;
  std::vector<int> parameters, tables;
  for (std::size_t k = 0; k < types.size(); ++k) {
    parameters.push_back(
        graph.Add({Op::kParameter, types[k], -1, -1, -1, Word{k}}));
  }
  for (std::size_t k = 0; k < pass.prologue.tables().size(); ++k) {
    tables.push_back(static_cast<int>(k));
  }
  std::vector<int> operands(parameters.begin(), parameters.begin() + values);
  for (int result : Inline(
           pass.prologue,
           {{parameters.begin() + values, parameters.end()}, tables}, graph)) {
    operands.push_back(result);
  }
  expression::Scope scope = expression::Scope::OfColumns(types);
  scope.tables = pass.prologue.tables();
  std::vector<int> numbers(types.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  absl::StatusOr<Function> step = ExtractOver(
      graph, Inline(*pass.op, {operands}, graph), scope, numbers, tables);
  if (!step.ok()) return std::nullopt;
  // What is read for nothing, as by (a, b) -> a, may lie outside of a table.
  if (CountReads(*step) < CountReads(pass.prologue)) return std::nullopt;
  return *std::move(step);
}

}  // namespace concord::spliced
