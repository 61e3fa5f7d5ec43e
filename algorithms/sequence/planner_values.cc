// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Values that have not been stored, and how they are.

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "concord/algorithms/sequence/planner.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using expression::Extracted;
using expression::Function;
using expression::Node;
using expression::Op;
using expression::Scope;
using expression::Type;
using expression::Word;

// What a value that is read twice may cost, if it is not stored.
constexpr int kCheapOperations = 16;

// A filter's pass has one more result.
constexpr std::size_t kMostKept = expression::kMostResults - 1;

bool IsLeafParameter(const Node& node) { return node.op == Op::kParameter; }

}  // namespace

Planner::Value& Planner::InputOf(int stage) {
  return values_[program_.stages()[stage].inputs[0]];
}

std::vector<int> Planner::Apply(int stage, const std::vector<int>& values) {
  const Stage& s = program_.stages()[stage];
  expression::Substitution substitution;
  substitution.parameters = values;
  for (int column : s.tables) {
    substitution.tables.push_back(NumberOf({stage, column, values}));
  }
  return Inline(*s.function, substitution, graph_);
}

int Planner::NumberOf(TableOfStage table) {
  const auto found = std::find_if(
      tables_.begin(), tables_.end(), [&](const TableOfStage& known) {
        return known.stage == table.stage && known.array == table.array &&
               known.arguments == table.arguments;
      });
  const int number = static_cast<int>(found - tables_.begin());
  if (found == tables_.end()) tables_.push_back(std::move(table));
  return number;
}

std::vector<int> Planner::Replaced(
    const std::vector<int>& nodes,
    const std::function<int(const Input&)>& of_input, int index) {
  std::vector<int> numbers(static_cast<std::size_t>(graph_.size()), -1);
  for (int number : NeededNodes(graph_, nodes)) {
    Node node = graph_[number];
    if (node.op == Op::kParameter) {
      numbers[number] = of_input(*leaves_[node.bits].input);
      continue;
    }
    for (int* operand : {&node.a, &node.b, &node.c}) {
      if (*operand >= 0) *operand = numbers[*operand];
    }
    numbers[number] = node.op == Op::kIndex ? index : graph_.Add(node);
  }
  std::vector<int> replaced;
  for (int node : nodes) replaced.push_back(numbers[node]);
  return replaced;
}

std::vector<int> Planner::Shifted(const std::vector<int>& nodes,
                                  std::int64_t first) {
  if (first == 0) return nodes;
  const auto from_first = [&](Input input) {
    input.first = SaturatedSum(input.first, first);
    return InputNode(input);
  };
  return Replaced(
      nodes, from_first,
      graph_.Add({Op::kAdd, Type::kInt64,
                  graph_.Add({Op::kIndex, Type::kInt64}),
                  graph_.Constant(Type::kInt64, static_cast<Word>(first))}));
}

int Planner::OrIdentity(int keep, int node, Word identity) {
  const Type type = graph_[node].type;
  return graph_.Add(
      {Op::kSelect, type, keep, node, graph_.Constant(type, identity)});
}

std::vector<int> Planner::ReadsOf(absl::Span<const int> nodes) const {
  std::vector<int> reads;
  for (int number : NeededNodes(graph_, nodes)) {
    const Node& node = graph_[number];
    if (node.op == Op::kGather && tables_[node.bits].stage >= 0) {
      reads.push_back(number);
    }
  }
  return reads;
}

bool Planner::ReadsTables(const Value& value) const {
  return !ReadsOf(value.nodes).empty();
}

bool Planner::KeepsReads(absl::Span<const int> from,
                         absl::Span<const int> to) const {
  const std::vector<int> needed = ReadsOf(from), kept = ReadsOf(to);
  return std::includes(kept.begin(), kept.end(), needed.begin(), needed.end());
}

bool Planner::Fits(absl::Span<const int> nodes) const {
  std::set<Word> inputs, tables;
  int operations = 0;
  for (int number : NeededNodes(graph_, nodes)) {
    const Node& node = graph_[number];
    if (node.op == Op::kParameter) inputs.insert(node.bits);
    if (node.op == Op::kGather) tables.insert(node.bits);
    operations += IsLeaf(node.op) ? 0 : 1;
  }
  return operations <= kMostFusedOperations &&
         inputs.size() <= static_cast<std::size_t>(kMostFusedInputs) &&
         tables.size() <= static_cast<std::size_t>(expression::kMostTables);
}

bool Planner::CanBeFunction(absl::Span<const int> nodes) const {
  return NeededNodes(graph_, nodes).size() <=
         static_cast<std::size_t>(expression::kMostNodes);
}

bool Planner::CanBeEpilogue(const Pass& pass,
                            absl::Span<const int> nodes) const {
  return !pass.start.has_value() ||
         pass.op->function().nodes().size() +
                 NeededNodes(graph_, nodes).size() <=
             static_cast<std::size_t>(expression::kMostNodes);
}

bool Planner::IsView(const Value& value) const {
  return value.lazy() &&
         std::all_of(value.nodes.begin(), value.nodes.end(),
                     [&](int node) { return IsLeafParameter(graph_[node]); });
}

bool Planner::IsCheap(const Value& value) const {
  if (!value.lazy()) return false;
  if (IsView(value)) return true;
  int inputs = 0, operations = 0;
  for (int number : NeededNodes(graph_, value.nodes)) {
    const Op op = graph_[number].op;
    inputs += op == Op::kParameter || op == Op::kGather ? 1 : 0;
    operations += IsLeaf(op) ? 0 : 1;
  }
  return inputs <= 1 && operations <= kCheapOperations;
}

bool Planner::StaysUnstored(int stage, const Value& value) const {
  if (fusion_ == Fusion::kNone) return false;
  return readers_[stage] == 1 || IsCheap(value);
}

absl::Status Planner::StoreUnlessPlain(Value& value) {
  if (value.lazy() && !ReadsTables(value)) return absl::OkStatus();
  return Store(value);
}

absl::Status Planner::Store(Value& value) {
  if (IsView(value)) return absl::OkStatus();
  if (value.keep.has_value()) return StoreKept(value);
  const std::vector<Type> types = TypesOf(value.nodes);
  if (!value.pending.has_value()) {
    ASSIGN_OR_RETURN(value.nodes,
                     Stored(value.stage, value.extent, value.nodes));
    return absl::OkStatus();
  }
  Pass pass = *std::move(value.pending);
  value.pending.reset();
  const std::vector<Type>& results = pass.op.value().types();
  std::vector<int> parameters;
  for (std::size_t k = 0; k < results.size(); ++k) {
    parameters.push_back(value.first_result + static_cast<int>(k));
  }
  bool changes_nothing = results.size() == value.nodes.size();
  for (std::size_t k = 0; changes_nothing && k < results.size(); ++k) {
    const Node& node = graph_[value.nodes[k]];
    changes_nothing =
        IsLeafParameter(node) && node.bits == static_cast<Word>(parameters[k]);
  }
  if (!changes_nothing) {
    ASSIGN_OR_RETURN(pass.epilogue,
                     ExtractOver(graph_, value.nodes, Scope::OfColumns(results),
                                 parameters, {}));
  }
  value.nodes = Add(std::move(pass), types, value.extent);
  return absl::OkStatus();
}

absl::Status Planner::StoreKept(Value& value) {
  const int extent =
      NumberOf({Extent::Kind::kKept, static_cast<int>(plan_.passes.size())});
  std::vector<int> stored;
  for (std::size_t k = 0; k < value.nodes.size(); k += kMostKept) {
    const std::size_t end = std::min(value.nodes.size(), k + kMostKept);
    const std::vector<int> part(value.nodes.begin() + k,
                                value.nodes.begin() + end);
    std::vector<int> results = {*value.keep};
    results.insert(results.end(), part.begin(), part.end());
    ASSIGN_OR_RETURN(Pass pass, PassOf(Pass::Kind::kFilter, value.stage,
                                       value.extent, results));
    const std::vector<int> outputs =
        Add(std::move(pass), TypesOf(part), extent);
    stored.insert(stored.end(), outputs.begin(), outputs.end());
  }
  value.nodes = std::move(stored);
  value.extent = extent;
  value.keep.reset();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int>> Planner::Stored(int stage, int extent,
                                                 absl::Span<const int> nodes) {
  ASSIGN_OR_RETURN(Pass pass, PassOf(Pass::Kind::kMap, stage, extent, nodes));
  return Add(std::move(pass), TypesOf(nodes), extent);
}

absl::StatusOr<Pass> Planner::PassOf(Pass::Kind kind, int stage, int extent,
                                     absl::Span<const int> nodes) {
  ASSIGN_OR_RETURN(Extracted extracted, Extract(graph_, nodes));
  Pass pass;
  pass.kind = kind;
  pass.stage = stage;
  pass.extent = extent;
  for (int leaf : extracted.parameters) {
    pass.inputs.push_back(*leaves_[leaf].input);
  }
  for (int table : extracted.tables) {
    const TableOfStage& read = tables_[table];
    if (read.arguments.empty()) {
      pass.reads.push_back({read.array, read.stage, std::nullopt});
      continue;
    }
    ASSIGN_OR_RETURN(
        Function arguments,
        ExtractOver(graph_, read.arguments, extracted.function.scope(),
                    extracted.parameters, extracted.tables));
    pass.reads.push_back({read.array, read.stage, std::move(arguments)});
  }
  pass.prologue = std::move(extracted.function);
  return pass;
}

std::vector<int> Planner::Add(Pass pass, const std::vector<Type>& types,
                              int extent) {
  const int columns = static_cast<int>(plan_.column_types.size());
  std::vector<int> nodes;
  for (Type type : types) {
    const int buffer = static_cast<int>(plan_.buffers.size());
    plan_.buffers.push_back({type, extent});
    pass.outputs.push_back(buffer);
    nodes.push_back(InputNode({columns + buffer, 0, type}));
  }
  plan_.passes.push_back(std::move(pass));
  return nodes;
}

int Planner::NumberOf(const Extent& extent) {
  const auto found =
      std::find(plan_.extents.begin(), plan_.extents.end(), extent);
  const int number = static_cast<int>(found - plan_.extents.begin());
  if (found == plan_.extents.end()) plan_.extents.push_back(extent);
  return number;
}

int Planner::Constant(std::int64_t count) {
  return NumberOf({Extent::Kind::kConstant, 0, 0, count});
}

int Planner::InputNode(const Input& input) {
  const auto same = [&](const Leaf& leaf) { return leaf.input == input; };
  const auto found = std::find_if(leaves_.begin(), leaves_.end(), same);
  const auto number = static_cast<Word>(found - leaves_.begin());
  if (found == leaves_.end()) leaves_.push_back({input});
  return graph_.Add({Op::kParameter, input.type, -1, -1, -1, number});
}

std::vector<Type> Planner::TypesOf(absl::Span<const int> nodes) const {
  std::vector<Type> types;
  for (int node : nodes) types.push_back(graph_[node].type);
  return types;
}

}  // namespace concord::sequence
