// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/tbb/ordered.h"

#include <algorithm>
#include <utility>

#include "concord/core/element_width.h"
#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Graph;
using expression::Op;
using expression::Type;

bool UsesIndex(const Pass& pass) {
  const std::vector<expression::Node>& nodes = pass.prologue->nodes();
  return std::any_of(
      nodes.begin(), nodes.end(),
      [](const expression::Node& node) { return node.op == Op::kIndex; });
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

absl::StatusOr<Function> FirstOf(const Pass& pass,
                                 const std::vector<Type>& inputs) {
  return FunctionOver(inputs, [&](Graph& graph, const std::vector<int>& x) {
    return AddPrologue(pass, x, graph);
  });
}

absl::StatusOr<Function> NextOf(const Pass& pass,
                                const std::vector<Type>& inputs) {
  std::vector<Type> types = pass.op->types();
  const std::size_t values = types.size();
  types.insert(types.end(), inputs.begin(), inputs.end());
  return FunctionOver(types, [&](Graph& graph, const std::vector<int>& x) {
    std::vector<int> operands(x.begin(), x.begin() + values);
    const std::vector<int> element =
        AddPrologue(pass, {x.begin() + values, x.end()}, graph);
    operands.insert(operands.end(), element.begin(), element.end());
    return Inline(pass.op->function(), {operands}, graph);
  });
}

}  // namespace

absl::StatusOr<OrderedPass> OrderedPass::Of(const Pass& pass) {
  std::vector<Type> inputs = InputTypes(pass);
  ASSIGN_OR_RETURN(const Function first, FirstOf(pass, inputs));
  ASSIGN_OR_RETURN(const Function next, NextOf(pass, inputs));
  return OrderedPass{std::move(inputs), Interpreter(first), Interpreter(next),
                     Interpreter(pass.op->function()), UsesIndex(pass)};
}

std::vector<const void*> Pointers(const ValueArrays& arrays) {
  return PointersAt<const void, ArrayView>(arrays.views(), 0);
}

void TakeApart(const ValueArrays& from, std::int64_t pairs, ValueArrays& even,
               ValueArrays& odd) {
  for (std::size_t k = 0; k < from.types().size(); ++k) {
    DispatchWidth(StoredAs(from.types()[k]), [&](auto width) {
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
