// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What each stage becomes.

#include "concord/algorithms/sequence/planner.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "concord/algorithms/sequence/order.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using expression::IsFloat;
using expression::Node;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;
using Kind = Stage::Kind;

std::vector<int> CountReaders(const Program& program) {
  std::vector<int> readers(program.stages().size());
  for (const Stage& stage : program.stages()) {
    for (int input : std::set<int>(stage.inputs.begin(), stage.inputs.end())) {
      ++readers[input];
    }
  }
  ++readers.back();
  return readers;
}

bool Uses(const expression::Function& function, Op op) {
  return std::any_of(function.nodes().begin(), function.nodes().end(),
                     [op](const Node& node) { return node.op == op; });
}
bool UsesIndexOrTables(const expression::Function& function) {
  return Uses(function, Op::kIndex) || Uses(function, Op::kGather);
}

// Whether any order gives the same bits.
bool IsExact(const Operator& op) {
  const bool rounds =
      IsFloat(op.types()[0]) &&
      (op.built_in() == Op::kAdd || op.built_in() == Op::kMultiply);
  return op.built_in().has_value() && !rounds;
}

Pass::Order OrderOf(const Operator& op, Pass::Kind kind) {
  if (IsExact(op)) return Pass::Order::kAny;
  if (kind == Pass::Kind::kScan) return Pass::Order::kNodes;
  return op.built_in().has_value() ? Pass::Order::kTree : Pass::Order::kRows;
}

template <typename T>
std::vector<T> Joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Planner::Planner(const Program& program, Fusion fusion)
    : program_(program), fusion_(fusion), readers_(CountReaders(program)) {
  for (const expression::Parameter& column : program.columns()) {
    plan_.column_types.push_back(column.type);
  }
}

absl::StatusOr<Plan> Planner::Run() {
  const int stages = static_cast<int>(program_.stages().size());
  for (int stage = 0; stage < stages; ++stage) {
    ASSIGN_OR_RETURN(Value value, ValueOf(stage));
    value.stage = stage;
    if (!StaysUnstored(stage, value)) RETURN_IF_ERROR(Store(value));
    values_.push_back(std::move(value));
  }
  RETURN_IF_ERROR(Finish());
  return std::move(plan_);
}

absl::StatusOr<Planner::Value> Planner::ValueOf(int stage) {
  switch (program_.stages()[stage].kind) {
    case Kind::kColumn:
      return Column(stage);
    case Kind::kTabulate:
      return Value{Apply(stage, {}), Constant(program_.stages()[stage].count)};
    case Kind::kZip:
      return Zip(stage);
    case Kind::kConcat:
      return Concat(stage);
    case Kind::kMap:
      return Map(stage);
    case Kind::kFilter:
      return Filter(stage);
    case Kind::kReduce:
      return Reduce(stage);
    case Kind::kScan:
    case Kind::kScanBefore:
      return Scan(stage);
    case Kind::kCount:
      return Count(stage);
    case Kind::kLast:
      return Last(stage);
    case Kind::kSlice:
      return Slice(stage);
    case Kind::kSortBy:
      return SortBy(stage);
    case Kind::kHistogram:
      return Histogram(stage);
    case Kind::kGroupReduce:
      return GroupReduce(stage);
  }
  return absl::InternalError("no such stage");
}

absl::StatusOr<Planner::Value> Planner::Column(int stage) {
  const Stage& column = program_.stages()[stage];
  const int number = static_cast<int>(column.first);
  return Value{{InputNode({number, 0, column.types[0]})},
               NumberOf({Extent::Kind::kColumn, number})};
}

absl::StatusOr<Planner::Value> Planner::Zip(int stage) {
  const std::vector<int>& inputs = program_.stages()[stage].inputs;
  for (int input : inputs) {
    if (!values_[input].lazy()) RETURN_IF_ERROR(Store(values_[input]));
  }
  const auto all_nodes = [&] {
    std::vector<int> nodes;
    for (int input : inputs) nodes = Joined(nodes, values_[input].nodes);
    return nodes;
  };
  Plan::SameSize sizes{stage, {}};
  for (int input : inputs) {
    const int extent = values_[input].extent;
    if (std::find(sizes.extents.begin(), sizes.extents.end(), extent) ==
        sizes.extents.end()) {
      sizes.extents.push_back(extent);
    }
  }
  const bool may_differ = sizes.extents.size() > 1;
  const bool fits = Fits(all_nodes());
  for (int input : inputs) {
    // Where sizes differ, the pass ends early, but reads are errors first.
    if (!fits || (may_differ && ReadsTables(values_[input]))) {
      RETURN_IF_ERROR(Store(values_[input]));
    }
  }
  if (may_differ) plan_.zips.push_back(std::move(sizes));
  return Value{all_nodes(), values_[inputs[0]].extent};
}

absl::StatusOr<Planner::Value> Planner::Concat(int stage) {
  const Stage& concat = program_.stages()[stage];
  std::vector<int> before;
  std::vector<Pass> passes;
  for (int input : concat.inputs) {
    Value& value = values_[input];
    if (!value.lazy()) RETURN_IF_ERROR(Store(value));
    ASSIGN_OR_RETURN(
        Pass pass, PassOf(Pass::Kind::kMap, stage, value.extent, value.nodes));
    pass.output_after = before;
    before.push_back(value.extent);
    passes.push_back(std::move(pass));
  }
  Value all;
  all.extent = NumberOf({Extent::Kind::kSum, 0, 0, 0, before});
  all.nodes = Add(std::move(passes[0]), concat.types, all.extent);
  const std::vector<int> outputs = plan_.passes.back().outputs;
  for (std::size_t k = 1; k < passes.size(); ++k) {
    passes[k].outputs = outputs;
    plan_.passes.push_back(std::move(passes[k]));
  }
  return all;
}

absl::StatusOr<Planner::Value> Planner::Map(int stage) {
  const expression::Function& f = *program_.stages()[stage].function;
  Value& input = InputOf(stage);
  const bool at_elements_kept = input.keep.has_value() && UsesIndexOrTables(f);
  const bool after_operator = input.pending.has_value() && Uses(f, Op::kGather);
  if (at_elements_kept || after_operator) RETURN_IF_ERROR(Store(input));
  std::vector<int> nodes = Apply(stage, input.nodes);
  std::vector<int> from = input.nodes, to = nodes;
  if (input.keep.has_value()) {
    from.push_back(*input.keep);
    to.push_back(*input.keep);
  }
  const bool fits = Fits(to) && (!input.pending.has_value() ||
                                 CanBeEpilogue(*input.pending, to));
  if (!KeepsReads(from, to) || !fits) {
    RETURN_IF_ERROR(Store(input));
    nodes = Apply(stage, input.nodes);
  }
  return Value{std::move(nodes), input.extent, input.keep, input.pending,
               input.first_result};
}

absl::StatusOr<Planner::Value> Planner::Filter(int stage) {
  Value& input = InputOf(stage);
  const bool at_elements_kept =
      input.keep.has_value() &&
      UsesIndexOrTables(*program_.stages()[stage].function);
  if (at_elements_kept || input.pending.has_value()) {
    RETURN_IF_ERROR(Store(input));
  }
  const auto keep = [&] {
    const int kept = Apply(stage, input.nodes)[0];
    return input.keep.has_value()
               ? graph_.Add({Op::kAnd, Type::kBool, *input.keep, kept})
               : kept;
  };
  int kept = keep();
  std::vector<int> from = input.nodes;
  if (input.keep.has_value()) from.push_back(*input.keep);
  const std::vector<int> to = Joined(input.nodes, {kept});
  if (!KeepsReads(from, to) || !Fits(to)) {
    RETURN_IF_ERROR(Store(input));
    kept = keep();
  }
  // The filter's pass has the elements, too.
  if (!CanBeFunction(Joined(input.nodes, {kept}))) {
    ASSIGN_OR_RETURN(const std::vector<int> stored,
                     Stored(stage, input.extent, {kept}));
    kept = stored[0];
  }
  return Value{input.nodes, input.extent, kept};
}

absl::StatusOr<Planner::Value> Planner::Reduce(int stage) {
  const Operator& op = *program_.stages()[stage].op;
  Value& input = InputOf(stage);
  if (input.keep.has_value() && IsExact(op)) {
    const std::vector<int> chosen = {
        OrIdentity(*input.keep, input.nodes[0], (*op.identity())[0])};
    if (KeepsReads({*input.keep, input.nodes[0]}, chosen) && Fits(chosen)) {
      ASSIGN_OR_RETURN(Pass pass, CombiningPass(stage, Pass::Kind::kReduce,
                                                chosen, input.extent));
      return Pending(std::move(pass), Constant(1));
    }
  }
  if (!input.lazy()) RETURN_IF_ERROR(Store(input));
  ASSIGN_OR_RETURN(Pass pass, CombiningPass(stage, Pass::Kind::kReduce,
                                            input.nodes, input.extent));
  return Pending(std::move(pass), Constant(1));
}

absl::StatusOr<Planner::Value> Planner::Scan(int stage) {
  Value& input = InputOf(stage);
  if (!input.lazy()) RETURN_IF_ERROR(Store(input));
  ASSIGN_OR_RETURN(Pass pass, CombiningPass(stage, Pass::Kind::kScan,
                                            input.nodes, input.extent));
  pass.before = program_.stages()[stage].kind == Kind::kScanBefore;
  return Pending(std::move(pass), input.extent);
}

absl::StatusOr<Planner::Value> Planner::Count(int stage) {
  Value& input = InputOf(stage);
  if (input.keep.has_value()) {
    const std::vector<int> ones = {OrIdentity(
        *input.keep, graph_.Constant(Type::kInt64, 1), /*identity=*/0)};
    if (KeepsReads(Joined(input.nodes, {*input.keep}), ones) &&
        CanBeFunction(ones)) {
      ASSIGN_OR_RETURN(Operator sum, Operator::Parse("a + b", {Type::kInt64}));
      ASSIGN_OR_RETURN(Pass pass,
                       PassOf(Pass::Kind::kReduce, stage, input.extent, ones));
      pass.op = std::move(sum);
      return Pending(std::move(pass), Constant(1));
    }
  }
  RETURN_IF_ERROR(StoreUnlessPlain(input));
  Pass pass;
  pass.kind = Pass::Kind::kCount;
  pass.stage = stage;
  pass.extent = input.extent;
  const int one = Constant(1);
  return Value{Add(std::move(pass), {Type::kInt64}, one), one};
}

absl::StatusOr<Planner::Value> Planner::Last(int stage) {
  Value& input = InputOf(stage);
  RETURN_IF_ERROR(StoreUnlessPlain(input));
  ASSIGN_OR_RETURN(Pass pass,
                   PassOf(Pass::Kind::kMap, stage, input.extent, input.nodes));
  pass.last = true;
  const int one = Constant(1);
  return Value{Add(std::move(pass), TypesOf(input.nodes), one), one};
}

absl::StatusOr<Planner::Value> Planner::Slice(int stage) {
  const Stage& slice = program_.stages()[stage];
  Value& input = InputOf(stage);
  RETURN_IF_ERROR(StoreUnlessPlain(input));
  std::vector<int> nodes = Shifted(input.nodes, slice.first);
  if (!CanBeFunction(nodes)) {
    RETURN_IF_ERROR(Store(input));
    nodes = Shifted(input.nodes, slice.first);
  }
  return Value{
      std::move(nodes),
      NumberOf(
          {Extent::Kind::kSlice, 0, slice.first, slice.count, {input.extent}})};
}

absl::StatusOr<Pass> Planner::CombiningPass(int stage, Pass::Kind kind,
                                            absl::Span<const int> nodes,
                                            int extent) {
  ASSIGN_OR_RETURN(Pass pass, PassOf(kind, stage, extent, nodes));
  pass.op = program_.stages()[stage].op;
  pass.start = program_.stages()[stage].start;
  pass.order = OrderOf(*pass.op, kind);
  return pass;
}

Planner::Value Planner::Pending(Pass pass, int extent) {
  Value value;
  value.first_result = static_cast<int>(leaves_.size());
  for (Type type : pass.op->types()) {
    const auto number = static_cast<Word>(leaves_.size());
    leaves_.push_back({});
    value.nodes.push_back(
        graph_.Add({Op::kParameter, type, -1, -1, -1, number}));
  }
  value.extent = extent;
  value.pending = std::move(pass);
  return value;
}

absl::Status Planner::Finish() {
  Value& result = values_.back();
  if (!result.lazy()) RETURN_IF_ERROR(Store(result));
  const int columns = static_cast<int>(plan_.column_types.size());
  std::set<int> buffers;
  for (int node : result.nodes) {
    const Node& leaf = graph_[node];
    if (leaf.op != Op::kParameter) continue;
    const Input& input = *leaves_[leaf.bits].input;
    const int buffer = input.array - columns;
    if (buffer >= 0 && input.first == 0 &&
        plan_.buffers[buffer].extent == result.extent) {
      buffers.insert(buffer);
    }
  }
  if (buffers.size() != result.nodes.size()) {
    ASSIGN_OR_RETURN(result.nodes,
                     Stored(result.stage, result.extent, result.nodes));
  }
  for (std::size_t k = 0; k < result.nodes.size(); ++k) {
    const Input& input = *leaves_[graph_[result.nodes[k]].bits].input;
    plan_.buffers[input.array - columns].result = static_cast<int>(k);
  }
  return absl::OkStatus();
}

}  // namespace concord::sequence
