// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spec/axes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Node;
using expression::Nodes;
using expression::Op;
using expression::Operator;

std::int64_t LongestColumn(const Case& test_case) {
  std::int64_t longest = 0;
  for (const auto& [name, column] : test_case.inputs) {
    longest = std::max(longest, column.size());
  }
  return longest;
}

Case WithoutElements(const Case& test_case, std::int64_t first,
                     std::int64_t last) {
  Case smaller = test_case;
  const std::int64_t longest = LongestColumn(test_case);
  for (auto& [name, column] : smaller.inputs) {
    if (column.size() == longest) column = column.Without(first, last);
  }
  return smaller;
}

bool IsOperation(const Node& node) {
  return node.op != Op::kParameter && node.op != Op::kIndex &&
         node.op != Op::kConstant;
}

// A number that may as well be 0.
bool IsLiteral(const Node& node) {
  return node.op == Op::kConstant && node.bits != 0;
}

using Kind = bool (*)(const Node&);

std::int64_t Count(const Function& function, Kind kind) {
  return std::count_if(function.nodes().begin(), function.nodes().end(), kind);
}

// Of all stages.
std::int64_t Count(const Program& program, Kind kind) {
  std::int64_t nodes = 0;
  for (const Stage& stage : program.stages()) {
    if (stage.function.has_value()) nodes += Count(*stage.function, kind);
    if (stage.op.has_value()) nodes += Count(stage.op->function(), kind);
  }
  return nodes;
}

// How many elements the stages give that have no input.
std::int64_t CountTabulated(const Program& program) {
  std::int64_t elements = 0;
  for (const Stage& stage : program.stages()) {
    if (stage.kind == Stage::Kind::kTabulate) elements += stage.count;
  }
  return elements;
}

bool IsSmaller(const Program& x, const Program& y) {
  const std::int64_t operations = Count(x, IsOperation);
  const std::int64_t others = Count(y, IsOperation);
  if (x.stages().size() < y.stages().size() || operations < others) return true;
  if (x.stages().size() != y.stages().size() || operations != others) {
    return false;
  }
  const std::int64_t literals = Count(x, IsLiteral);
  const std::int64_t other_literals = Count(y, IsLiteral);
  return literals < other_literals ||
         (literals == other_literals && CountTabulated(x) < CountTabulated(y));
}

// A text that is no program on the columns makes no case, and is not kept; nor
// is a program that is not smaller, or shrinking would have no end.
Case WithStages(const Case& test_case, const Program& program,
                const std::vector<Stage>& stages) {
  Case changed = test_case;
  std::string& text = changed.options["program"];
  text = ToText(program.columns(), stages);
  const auto smaller = ProgramOfCase(changed);
  if (!smaller.ok()) return changed;
  // Printed anew, it is without what nobody reads.
  text = IsSmaller(**smaller, program) ? ToText(**smaller) : "";
  return changed;
}

Case WithoutStages(const Case& test_case, const Program& program,
                   std::int64_t first, std::int64_t last) {
  std::vector<Stage> stages = program.stages();
  // What is read instead of each stage.
  std::vector<int> instead;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    for (int& input : stages[k].inputs) input = instead[input];
    const bool goes = first <= static_cast<std::int64_t>(k) &&
                      static_cast<std::int64_t>(k) < last &&
                      !stages[k].inputs.empty();
    instead.push_back(goes ? stages[k].inputs[0] : static_cast<int>(k));
  }
  stages.resize(instead.back() + 1);
  return WithStages(test_case, program, stages);
}

Case WithoutTabulated(const Case& test_case, const Program& program,
                      std::int64_t first, std::int64_t last) {
  std::vector<Stage> stages = program.stages();
  for (Stage& stage : stages) {
    if (stage.kind != Stage::Kind::kTabulate) continue;
    const std::int64_t count = stage.count;
    stage.count -= std::max<std::int64_t>(
        std::min(last, count) - std::max<std::int64_t>(first, 0), 0);
    first -= count;
    last -= count;
  }
  return WithStages(test_case, program, stages);
}

// The function without those of its operations that come first to last.
Function WithoutOperations(const Function& function, std::int64_t first,
                           std::int64_t last) {
  Nodes nodes = function.form();
  std::vector<int> instead;
  std::int64_t number = 0;
  for (std::size_t k = 0; k < nodes.nodes.size(); ++k) {
    Node& node = nodes.nodes[k];
    for (int* operand : {&node.a, &node.b, &node.c}) {
      if (*operand >= 0) *operand = instead[*operand];
    }
    instead.push_back(static_cast<int>(k));
    if (!IsOperation(node)) continue;
    const bool goes = first <= number && number < last;
    ++number;
    if (!goes) continue;
    for (const int operand : {node.a, node.b, node.c}) {
      if (operand >= 0 && nodes.nodes[operand].type == node.type) {
        instead.back() = operand;
        break;
      }
    }
    if (instead.back() == static_cast<int>(k)) {
      node = {Op::kConstant, node.type, -1, -1, -1, 0};
    }
  }
  for (int& result : nodes.results) result = instead[result];
  absl::StatusOr<Function> smaller =
      Function::Create(function.scope(), std::move(nodes));
  return smaller.ok() ? *std::move(smaller) : function;
}

// The function with 0 for those of its literals that come first to last.
Function WithoutLiterals(const Function& function, std::int64_t first,
                         std::int64_t last) {
  Nodes nodes = function.form();
  std::int64_t number = 0;
  for (Node& node : nodes.nodes) {
    if (!IsLiteral(node)) continue;
    if (first <= number && number < last) node.bits = 0;
    ++number;
  }
  absl::StatusOr<Function> smaller =
      Function::Create(function.scope(), std::move(nodes));
  return smaller.ok() ? *std::move(smaller) : function;
}

// The program without those nodes of a kind that come first to last in it.
Case WithoutNodes(const Case& test_case, const Program& program, Kind kind,
                  Function (*without)(const Function&, std::int64_t,
                                      std::int64_t),
                  std::int64_t first, std::int64_t last) {
  std::vector<Stage> stages = program.stages();
  const auto smaller = [&](const Function& function) {
    Function result = without(function, first, last);
    const std::int64_t count = Count(function, kind);
    first -= count;
    last -= count;
    return result;
  };
  for (Stage& stage : stages) {
    if (stage.function.has_value()) stage.function = smaller(*stage.function);
    if (!stage.op.has_value()) continue;
    absl::StatusOr<Operator> op = Operator::Create(
        smaller(stage.op->function()), expression::AssumeAssociative());
    if (op.ok()) stage.op = *std::move(op);
  }
  return WithStages(test_case, program, stages);
}

}  // namespace

std::vector<Axis> AxesOf(const Case& test_case, const Program& program) {
  return {{"elements", LongestColumn(test_case),
           [test_case](std::int64_t first, std::int64_t last) {
             return WithoutElements(test_case, first, last);
           }},
          {"stages", static_cast<std::int64_t>(program.stages().size()),
           [test_case, program](std::int64_t first, std::int64_t last) {
             return WithoutStages(test_case, program, first, last);
           }},
          {"tabulated elements", CountTabulated(program),
           [test_case, program](std::int64_t first, std::int64_t last) {
             return WithoutTabulated(test_case, program, first, last);
           }},
          {"operations", Count(program, IsOperation),
           [test_case, program](std::int64_t first, std::int64_t last) {
             return WithoutNodes(test_case, program, IsOperation,
                                 WithoutOperations, first, last);
           }},
          {"literals", Count(program, IsLiteral),
           [test_case, program](std::int64_t first, std::int64_t last) {
             return WithoutNodes(test_case, program, IsLiteral, WithoutLiterals,
                                 first, last);
           }}};
}

}  // namespace concord::sequence
