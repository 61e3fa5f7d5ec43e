// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stages that sort by a key.

#include <algorithm>
#include <utility>

#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/planner.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using expression::Node;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;

int Index(expression::Graph& graph) {
  return graph.Add({Op::kIndex, Type::kInt64});
}
int Whole(expression::Graph& graph, std::int64_t number) {
  return graph.Constant(Type::kInt64, static_cast<Word>(number));
}

}  // namespace

int Planner::Gather(const Input& input, int index) {
  const bool is_bool = input.type == Type::kBool;
  const Type stored = is_bool ? Type::kUInt8 : input.type;
  if (input.first != 0) {
    index =
        graph_.Add({Op::kAdd, Type::kInt64, index, Whole(graph_, input.first)});
  }
  const auto table = static_cast<Word>(NumberOf({-1, input.array, {}}));
  const int element = graph_.Add({Op::kGather, stored, index, -1, -1, table});
  return is_bool ? graph_.Add({Op::kCast, Type::kBool, element}) : element;
}

absl::StatusOr<Planner::Sorted> Planner::SortKeys(int stage, int extent,
                                                  int key,
                                                  bool with_positions) {
  const Type type = graph_[key].type;
  std::vector<int> keys = Inline(CanonicalKey(type), {{key}}, graph_);
  if (!CanBeFunction(keys)) {
    ASSIGN_OR_RETURN(keys, Stored(stage, extent, {key}));
    keys = Inline(CanonicalKey(type), {keys}, graph_);
  }
  if (graph_[keys[0]].op != Op::kParameter) {
    ASSIGN_OR_RETURN(keys, Stored(stage, extent, keys));
  }
  Pass pass;
  pass.kind = Pass::Kind::kSort;
  pass.stage = stage;
  pass.extent = extent;
  pass.inputs = {*leaves_[graph_[keys[0]].bits].input};
  std::vector<Type> types = {type};
  if (with_positions) types.push_back(Type::kInt64);
  const std::vector<int> outputs = Add(std::move(pass), types, extent);
  Sorted sorted = {outputs[0]};
  if (with_positions) sorted.positions = outputs[1];
  return sorted;
}

std::vector<int> Planner::InOrder(const std::vector<int>& nodes, int key,
                                  const Sorted& sorted) {
  std::vector<int> moved = nodes;
  if (sorted.positions.has_value()) {
    const auto at_position = [&](const Input& input) {
      return Gather(input, *sorted.positions);
    };
    moved = Replaced(nodes, at_position, *sorted.positions);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k] == key) moved[k] = sorted.keys;
  }
  return moved;
}

absl::StatusOr<std::vector<int>> Planner::KeyedValues(int stage,
                                                      bool with_elements) {
  Value& input = InputOf(stage);
  RETURN_IF_ERROR(StoreUnlessPlain(input));
  const auto keyed = [&] {
    std::vector<int> nodes = Apply(stage, input.nodes);
    if (nodes.size() == 1 && with_elements) {
      nodes.insert(nodes.end(), input.nodes.begin(), input.nodes.end());
    }
    return nodes;
  };
  std::vector<int> nodes = keyed();
  if (!Fits(nodes)) {
    RETURN_IF_ERROR(Store(input));
    nodes = keyed();
  }
  // An element that reads outside is told by its place before it is sorted.
  if (ReadsOf(nodes).empty()) return nodes;
  if (CanBeFunction(nodes)) return Stored(stage, input.extent, nodes);
  // A key that leaves no room for the elements, which are stored.
  ASSIGN_OR_RETURN(const std::vector<int> key,
                   Stored(stage, input.extent, {nodes[0]}));
  nodes[0] = key[0];
  return nodes;
}

absl::StatusOr<Planner::Value> Planner::SortBy(int stage) {
  Value& input = InputOf(stage);
  ASSIGN_OR_RETURN(const std::vector<int> key,
                   KeyedValues(stage, /*with_elements=*/false));
  const bool key_is_all = std::all_of(input.nodes.begin(), input.nodes.end(),
                                      [&](int node) { return node == key[0]; });
  ASSIGN_OR_RETURN(const Sorted sorted,
                   SortKeys(stage, input.extent, key[0], !key_is_all));
  std::vector<int> moved = InOrder(input.nodes, key[0], sorted);
  if (!Fits(moved)) {
    RETURN_IF_ERROR(Store(input));
    moved.clear();
    // Of as many arrays as a function can read.
    constexpr std::size_t kPart = expression::kMostTables;
    for (std::size_t k = 0; k < input.nodes.size(); k += kPart) {
      const std::size_t end = std::min(input.nodes.size(), k + kPart);
      const std::vector<int> part = InOrder(
          {input.nodes.begin() + k, input.nodes.begin() + end}, key[0], sorted);
      ASSIGN_OR_RETURN(const std::vector<int> stored,
                       Stored(stage, input.extent, part));
      moved.insert(moved.end(), stored.begin(), stored.end());
    }
  }
  return Value{std::move(moved), input.extent};
}

int Planner::IsFirstOfGroup(int keys) {
  const Type type = graph_[keys].type;
  const int index = Index(graph_), zero = Whole(graph_, 0);
  const int at = graph_.Add(
      {Op::kMaximum, Type::kInt64,
       graph_.Add({Op::kAdd, Type::kInt64, index, Whole(graph_, -1)}), zero});
  const int before = Gather(*leaves_[graph_[keys].bits].input, at);
  const int changes = Inline(IsAnotherKey(type), {{before, keys}}, graph_)[0];
  const int is_first = graph_.Add({Op::kEqual, Type::kBool, index, zero});
  return graph_.Add({Op::kOr, Type::kBool, is_first, changes});
}

int Planner::IsLastOfGroup(int stage, int keys, int extent) {
  const Type type = graph_[keys].type;
  Pass count;
  count.kind = Pass::Kind::kCount;
  count.stage = stage;
  count.extent = extent;
  const int counted = Add(std::move(count), {Type::kInt64}, Constant(1))[0];
  const int size =
      Gather(*leaves_[graph_[counted].bits].input, Whole(graph_, 0));
  const int index = Index(graph_);
  const int last =
      graph_.Add({Op::kAdd, Type::kInt64, size, Whole(graph_, -1)});
  const int at = graph_.Add(
      {Op::kMinimum, Type::kInt64,
       graph_.Add({Op::kAdd, Type::kInt64, index, Whole(graph_, 1)}), last});
  const int next = Gather(*leaves_[graph_[keys].bits].input, at);
  const int changes = Inline(IsAnotherKey(type), {{keys, next}}, graph_)[0];
  const int is_last = graph_.Add({Op::kEqual, Type::kBool, index, last});
  return graph_.Add({Op::kOr, Type::kBool, is_last, changes});
}

// The last places of groups are kept, and counts are their differences.
absl::StatusOr<Planner::Value> Planner::Histogram(int stage) {
  ASSIGN_OR_RETURN(const std::vector<int> key,
                   KeyedValues(stage, /*with_elements=*/false));
  const int extent = InputOf(stage).extent;
  ASSIGN_OR_RETURN(const Sorted sorted,
                   SortKeys(stage, extent, key[0], /*with_positions=*/false));
  const int index = Index(graph_), one = Whole(graph_, 1);
  const int end = graph_.Add({Op::kAdd, Type::kInt64, index, one});
  Value ends{
      {sorted.keys, end}, extent, IsLastOfGroup(stage, sorted.keys, extent)};
  ends.stage = stage;
  RETURN_IF_ERROR(Store(ends));
  // Before the first end there is 0, outside of the array.
  const int before =
      Gather(*leaves_[graph_[ends.nodes[1]].bits].input,
             graph_.Add({Op::kAdd, Type::kInt64, index, Whole(graph_, -1)}));
  ends.nodes[1] =
      graph_.Add({Op::kSubtract, Type::kInt64, ends.nodes[1], before});
  return ends;
}

absl::StatusOr<std::vector<int>> Planner::FromStart(
    int stage, int extent, const std::vector<int>& totals, int is_last) {
  const Stage& reduce = program_.stages()[stage];
  if (!reduce.start.has_value()) return totals;
  std::vector<int> operands;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    operands.push_back(
        graph_.Constant(graph_[totals[k]].type, (*reduce.start)[k]));
  }
  operands.insert(operands.end(), totals.begin(), totals.end());
  std::vector<int> results = Inline(reduce.op->function(), {operands}, graph_);
  std::vector<int> all = results;
  all.push_back(is_last);
  if (Fits(all)) return results;
  return Stored(stage, extent, results);
}

absl::StatusOr<Planner::Value> Planner::GroupReduce(int stage) {
  const Stage& reduce = program_.stages()[stage];
  ASSIGN_OR_RETURN(std::vector<int> values,
                   KeyedValues(stage, /*with_elements=*/true));
  const int extent = InputOf(stage).extent;
  const int key = values[0];
  values.erase(values.begin());
  const bool key_is_all = std::all_of(values.begin(), values.end(),
                                      [key](int node) { return node == key; });
  ASSIGN_OR_RETURN(const Sorted sorted,
                   SortKeys(stage, extent, key, !key_is_all));
  const auto pairs = [&] {
    std::vector<int> nodes = InOrder(values, key, sorted);
    nodes.insert(nodes.begin(), IsFirstOfGroup(sorted.keys));
    return nodes;
  };
  std::vector<int> scanned = pairs();
  if (!Fits(scanned)) {
    ASSIGN_OR_RETURN(values, Stored(stage, extent, values));
    scanned = pairs();
  }
  ASSIGN_OR_RETURN(Pass pass,
                   PassOf(Pass::Kind::kScan, stage, extent, scanned));
  ASSIGN_OR_RETURN(pass.op, RestartingAtFlags(*reduce.op));
  pass.order = Pass::Order::kNodes;
  Value totals = Pending(std::move(pass), extent);
  totals.nodes.erase(totals.nodes.begin());
  totals.stage = stage;
  RETURN_IF_ERROR(Store(totals));
  const int is_last = IsLastOfGroup(stage, sorted.keys, extent);
  ASSIGN_OR_RETURN(std::vector<int> results,
                   FromStart(stage, extent, totals.nodes, is_last));
  results.insert(results.begin(), sorted.keys);
  return Value{std::move(results), extent, is_last};
}

}  // namespace concord::sequence
