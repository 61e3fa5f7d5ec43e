// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/tbb/ordered.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "concord/core/expression/compose.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Graph;
using expression::Op;
using expression::Scope;
using expression::Type;
using expression::Word;

std::vector<int> Parameters(const std::vector<Type>& types, Graph& graph) {
  std::vector<int> parameters;
  for (std::size_t k = 0; k < types.size(); ++k) {
    parameters.push_back(
        graph.Add({Op::kParameter, types[k], -1, -1, -1, Word{k}}));
  }
  return parameters;
}

// The function of all parameters of these types, in a graph that has no others.
Function FunctionOver(const Graph& graph, const std::vector<Type>& types,
                      const std::vector<int>& results) {
  std::vector<int> numbers(types.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  // It has fewer parameters than a function can have, and types that fit.
  return *ExtractOver(graph, results, Scope::OfColumns(types), numbers, {});
}

bool UsesIndex(const Pass& pass) {
  const std::vector<expression::Node>& nodes = pass.prologue->nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const expression::Node& node) {
                       return node.op == Op::kIndex;
                     });
}

std::vector<Type> InputTypes(const Pass& pass) {
  std::vector<Type> types = pass.prologue->ParameterTypes();
  if (UsesIndex(pass)) types.push_back(Type::kInt64);
  return types;
}

// prologue(inputs), where the last may be the index.
std::vector<int> AddPrologue(const Pass& pass, std::vector<int> inputs,
                             Graph& graph) {
  expression::Substitution substitution;
  if (UsesIndex(pass)) {
    substitution.index = inputs.back();
    inputs.pop_back();
  }
  substitution.parameters = std::move(inputs);
  return Inline(*pass.prologue, substitution, graph);
}

Function FirstOf(const Pass& pass, const std::vector<Type>& inputs) {
  Graph graph;
  const std::vector<int> parameters = Parameters(inputs, graph);
  return FunctionOver(graph, inputs, AddPrologue(pass, parameters, graph));
}

Function NextOf(const Pass& pass, const std::vector<Type>& inputs) {
  Graph graph;
  std::vector<Type> types = pass.op->types();
  const std::size_t values = types.size();
  types.insert(types.end(), inputs.begin(), inputs.end());
  const std::vector<int> parameters = Parameters(types, graph);
  std::vector<int> operands(parameters.begin(), parameters.begin() + values);
  const std::vector<int> x =
      AddPrologue(pass, {parameters.begin() + values, parameters.end()}, graph);
  operands.insert(operands.end(), x.begin(), x.end());
  return FunctionOver(graph, types,
                      Inline(pass.op->function(), {operands}, graph));
}

}  // namespace

OrderedPass::OrderedPass(const Pass& pass)
    : input_types(InputTypes(pass)),
      first(FirstOf(pass, input_types)),
      next(NextOf(pass, input_types)),
      combine(pass.op->function()),
      uses_index(UsesIndex(pass)) {}

std::vector<const void*> Pointers(const ValueArrays& arrays) {
  return PointersAt<const void, ArrayView>(arrays.views(), 0);
}

void TakeApart(const ValueArrays& from, std::int64_t pairs, ValueArrays& even,
               ValueArrays& odd) {
  for (std::size_t k = 0; k < from.types().size(); ++k) {
    ByWidth(BytesOf(from.types()[k]), [&](auto width) {
      using T = decltype(width);
      const T* const x = static_cast<const T*>(from.views()[k].data());
      T* const a = static_cast<T*>(even.views()[k].data());
      T* const b = static_cast<T*>(odd.views()[k].data());
      for (std::int64_t j = 0; j < pairs; ++j) {
        a[j] = x[2 * j];
        b[j] = x[2 * j + 1];
      }
    });
  }
}

Tuple Pairs::Total(InterpreterThread& combine, ValueArrays& x, std::int64_t n) {
  while (n > 1) {
    const std::int64_t pairs = n / 2;
    TakeApart(x, pairs, even_, odd_);
    std::vector<const void*> parameters = Pointers(even_);
    for (const void* odd : Pointers(odd_)) parameters.push_back(odd);
    combine.Apply(parameters, x.pointers(), 0, pairs);
    if (n % 2 != 0) x.Set(pairs, x.Get(n - 1));
    n -= pairs;
  }
  return x.Get(0);
}

}  // namespace concord::sequence
