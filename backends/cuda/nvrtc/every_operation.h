// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_EVERY_OPERATION_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_EVERY_OPERATION_H_

#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::nvrtc {

// For tests: each operation on operands of each type that it is for, all casts,
// all constants and parameters, and a table of each element type.
inline std::vector<expression::Function> EveryOperation() {
  using expression::Function;
  using expression::Node;
  using expression::Op;
  using expression::Type;
  std::vector<Function> all;
  const auto add = [&](const std::vector<Type>& types, Node node,
                       std::vector<expression::Table> tables = {}) {
    expression::Scope scope = expression::Scope::OfColumns(types);
    scope.tables = std::move(tables);
    expression::Nodes nodes;
    for (std::size_t k = 0; k < types.size(); ++k) {
      nodes.nodes.push_back({Op::kParameter, types[k], -1, -1, -1, k});
    }
    nodes.nodes.push_back(node);
    nodes.results = {static_cast<int>(types.size())};
    all.push_back(*Function::Create(std::move(scope), std::move(nodes)));
  };
  for (const Type type : expression::AllTypes()) {
    add({type}, {Op::kConstant, type, -1, -1, -1, 1});
    for (const Type to : expression::AllTypes())
      add({type}, {Op::kCast, to, 0});
    if (type != Type::kBool) {
      add({Type::kInt64}, {Op::kGather, type, 0},
          {{"t", expression::StoredAs(type)}});
    }
    for (const Op op : expression::AllOperations()) {
      const bool other = expression::IsLeaf(op) || op == Op::kCast ||
                         op == Op::kGather || !expression::IsFor(op, type);
      if (other) continue;
      std::vector<Type> types(expression::OperandsOf(op), type);
      if (op == Op::kSelect) types[0] = Type::kBool;
      const auto operand = [&](int k) {
        return k < expression::OperandsOf(op) ? k : -1;
      };
      add(types, {op, *expression::ResultType(op, "it", types), operand(0),
                  operand(1), operand(2)});
    }
  }
  add({}, {Op::kIndex, Type::kInt64});
  return all;
}

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_EVERY_OPERATION_H_
