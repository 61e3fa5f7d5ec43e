// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/compiler_faults.h"
#include "concord/algorithms/sequence/faulty_run.h"
#include "concord/core/expression/apply.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/graph.h"
#include "concord/core/expression/operator.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Graph;
using expression::IsFloat;
using expression::IsInteger;
using expression::IsSigned;
using expression::Node;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;

// The number of what a node becomes. Its operands are the graph's.
using Rewriting = std::function<int(Graph& graph, Node node)>;

Function Rewritten(const Function& function, const Rewriting& rewriting) {
  Graph graph;
  std::vector<int> numbers;
  for (Node node : function.nodes()) {
    for (int* operand : {&node.a, &node.b, &node.c}) {
      if (*operand >= 0) *operand = numbers[*operand];
    }
    numbers.push_back(rewriting(graph, node));
  }
  expression::Nodes nodes{graph.nodes(), {}};
  for (int result : function.results()) {
    nodes.results.push_back(numbers[result]);
  }
  absl::StatusOr<Function> made =
      Function::Create(function.scope(), std::move(nodes));
  return made.ok() ? *std::move(made) : function;
}

// Built-in operators are no functions to a compiler.
void Rewrite(const Rewriting& rewriting, Pass& pass) {
  for (std::optional<Function>* function : {&pass.prologue, &pass.epilogue}) {
    if (function->has_value()) *function = Rewritten(**function, rewriting);
  }
  if (!pass.op.has_value() || pass.op->built_in().has_value()) return;
  expression::OperatorClaims claims = expression::AssumeAssociative();
  claims.identity = pass.op->identity();
  absl::StatusOr<Operator> op = Operator::Create(
      Rewritten(pass.op->function(), rewriting), std::move(claims));
  if (op.ok() && !op->built_in().has_value()) pass.op = *std::move(op);
}

// Counterexamples need one element, and those of programs without columns none.
Fault FunctionFault(std::string name, std::string what, Rewriting rewriting) {
  return {std::move(name), std::move(what), /*smallest_size=*/1,
          [rewriting = std::move(rewriting)](const FaultyRun& run) {
            return RunPassing(
                run, [&](PassRunner& right, const PassCall& call) {
                  Pass pass = call.pass;
                  Rewrite(rewriting, pass);
                  return right.Run({pass, call.n, call.index, call.inputs,
                                    call.tables, call.outputs});
                });
          }};
}

int SwapOperands(Graph& graph, Node node) {
  switch (node.op) {
    case Op::kSubtract:
    case Op::kDivide:
    case Op::kRemainder:
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kLess:
    case Op::kLessEqual:
      std::swap(node.a, node.b);
      break;
    default:
      break;
  }
  return graph.Add(node);
}

int DropCast(Graph& graph, Node node) {
  if (node.op == Op::kCast && graph[node.a].op == Op::kCast) {
    node.a = graph[node.a].a;
  }
  return graph.Add(node);
}

Type SignedOf(Type type) {
  switch (type) {
    case Type::kUInt8:
      return Type::kInt8;
    case Type::kUInt32:
      return Type::kInt32;
    case Type::kUInt64:
      return Type::kInt64;
    default:
      return type;
  }
}

// Operations that look at the sign, on the same bits with one.
int TakeForSigned(Graph& graph, Node node) {
  const auto looks_at_sign = [](Op op) {
    return op == Op::kDivide || op == Op::kRemainder || op == Op::kMinimum ||
           op == Op::kMaximum || op == Op::kShiftRight || op == Op::kLess ||
           op == Op::kLessEqual || op == Op::kCast;
  };
  if (!looks_at_sign(node.op)) return graph.Add(node);
  const Type type = graph[node.a].type;
  const Type with_sign = SignedOf(type);
  if (with_sign == type) return graph.Add(node);
  for (int* operand : {&node.a, &node.b}) {
    if (*operand < 0) continue;
    *operand = graph.Add({Op::kCast, with_sign, *operand});
  }
  if (node.type != type || node.op == Op::kCast) return graph.Add(node);
  node.type = with_sign;
  return graph.Add({Op::kCast, type, graph.Add(node)});
}

int Contract(Graph& graph, Node node) {
  if (node.op != Op::kAdd || !IsFloat(node.type)) return graph.Add(node);
  if (graph[node.a].op != Op::kMultiply) std::swap(node.a, node.b);
  const Node product = graph[node.a];
  if (product.op != Op::kMultiply) return graph.Add(node);
  return graph.Add({Op::kFma, node.type, product.a, product.b, node.b});
}

// As vectors of x86 compare floats.
int CompareForLeast(Graph& graph, Node node) {
  const bool is_least = node.op == Op::kMinimum || node.op == Op::kMaximum;
  if (!is_least || !IsFloat(node.type)) return graph.Add(node);
  const bool least = node.op == Op::kMinimum;
  const int less = graph.Add({Op::kLess, Type::kBool, least ? node.a : node.b,
                              least ? node.b : node.a});
  return graph.Add({Op::kSelect, node.type, less, node.a, node.b});
}

int CutConstant(Graph& graph, Node node) {
  if (node.op == Op::kConstant && IsInteger(node.type)) {
    node.bits =
        expression::Cast(Type::kInt32, node.type,
                         expression::Cast(node.type, Type::kInt32, node.bits));
  }
  return graph.Add(node);
}

// As if both were in the same slot.
int TakeThirdForSecond(Graph& graph, Node node) {
  if (node.op == Op::kSelect) node.b = node.c;
  return graph.Add(node);
}

int NegateByBits(Graph& graph, Node node) {
  if (node.op == Op::kNegate && IsInteger(node.type)) node.op = Op::kNot;
  return graph.Add(node);
}

}  // namespace

std::vector<Fault> FunctionFaults() {
  return {
      FunctionFault("swapped_operands",
                    "takes operands of - and < in the wrong order",
                    SwapOperands),
      FunctionFault("dropped_cast", "leaves out a cast before another one",
                    DropCast),
      FunctionFault("signed_for_unsigned",
                    "divides, shifts and compares unsigned numbers as signed",
                    TakeForSigned),
      FunctionFault("contraction", "rounds a * b + c once", Contract),
      FunctionFault("least_by_comparison",
                    "has min and max of floats forget NaN and -0.0",
                    CompareForLeast),
      FunctionFault("cut_constant", "keeps 32 bits of constants", CutConstant),
      FunctionFault("slot_written_twice",
                    "keeps both values of a choice in one slot",
                    TakeThirdForSecond),
      FunctionFault("negated_by_bits", "takes ~x for -x", NegateByBits),
  };
}

}  // namespace concord::sequence
