// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"
#include "concord/core/expression/parser.h"
#include "concord/core/value_or_throw.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Graph;
using expression::Op;
using expression::Operator;
using expression::Type;
using expression::Word;

template <typename T>
bool Precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

// Whether the element at this place of the order is the first of its group.
bool IsFirst(Type type, absl::Span<const Word> keys,
             const std::vector<std::size_t>& order, std::size_t place) {
  return place == 0 ||
         IsBefore(type, keys[order[place - 1]], keys[order[place]]);
}

}  // namespace

std::vector<Type> GroupedTypes(const Function& function,
                               const std::vector<Type>& elements) {
  std::vector<Type> types = function.ResultTypes();
  if (types.size() == 1) return elements;
  types.erase(types.begin());
  return types;
}

absl::StatusOr<Operator> RestartingAtFlags(const Operator& op) {
  const int values = static_cast<int>(op.types().size());
  std::vector<Type> types;
  for (int side = 0; side < 2; ++side) {
    types.push_back(Type::kBool);
    for (const Type type : op.types()) types.push_back(type);
  }
  const auto restarting = [&](Graph& graph, const std::vector<int>& x) {
    const int flag = x[0], other_flag = x[values + 1];
    std::vector<int> operands(x.begin() + 1, x.begin() + values + 1);
    operands.insert(operands.end(), x.begin() + values + 2, x.end());
    std::vector<int> results = {
        graph.Add({Op::kOr, Type::kBool, flag, other_flag})};
    const std::vector<int> combined = Inline(op.function(), {operands}, graph);
    for (int k = 0; k < values; ++k) {
      results.push_back(graph.Add({Op::kSelect, op.types()[k], other_flag,
                                   operands[values + k], combined[k]}));
    }
    return results;
  };
  ASSIGN_OR_RETURN(Function function, FunctionOver(types, restarting));
  // Its laws are those of `op`.
  return Operator::Create(std::move(function), expression::AssumeAssociative());
}

bool IsBefore(Type type, Word a, Word b) {
  return Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return Precedes(expression::FromWord<T>(a), expression::FromWord<T>(b));
  });
}

Function CanonicalKey(Type type) {
  return ValueOrThrow(expression::ParseFunction(
      IsFloat(type) ? "isnan(x) ? nan : x" : "x", {type}));
}

Function IsAnotherKey(Type type) {
  // Of zeros only the inverse has a sign that can be compared.
  return ValueOrThrow(expression::ParseFunction(
      IsFloat(type) ? "j, k -> j < k || isnan(k) && !isnan(j) || "
                      "j == k && 1 / j < 1 / k"
                    : "j, k -> j != k",
      {type, type}));
}

std::vector<std::size_t> PositionsByKey(Type type,
                                        absl::Span<const Word> keys) {
  std::vector<std::size_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::size_t a, std::size_t b) {
                     return IsBefore(type, keys[a], keys[b]);
                   });
  return positions;
}

std::vector<Tuple> Histogram(Type type, absl::Span<const Word> keys) {
  const std::vector<std::size_t> order = PositionsByKey(type, keys);
  std::vector<Tuple> counts;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (IsFirst(type, keys, order, k)) counts.push_back({keys[order[k]], 0});
    ++counts.back()[1];
  }
  return counts;
}

absl::StatusOr<std::vector<Tuple>> GroupReduce(
    Type type, absl::Span<const Word> keys, absl::Span<const Tuple> values,
    const Operator& op, const std::optional<Tuple>& start) {
  ASSIGN_OR_RETURN(const Operator restarting, RestartingAtFlags(op));
  const std::vector<std::size_t> order = PositionsByKey(type, keys);
  std::vector<Tuple> pairs;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Tuple pair = {Word{IsFirst(type, keys, order, k)}};
    const Tuple& value = values[order[k]];
    pair.insert(pair.end(), value.begin(), value.end());
    pairs.push_back(std::move(pair));
  }
  const std::vector<Tuple> scanned =
      InclusiveScan(restarting, pairs, std::nullopt);
  std::vector<Tuple> groups;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k + 1 < order.size() && !IsFirst(type, keys, order, k + 1)) continue;
    Tuple total(scanned[k].begin() + 1, scanned[k].end());
    if (start.has_value()) total = op.Apply(*start, total);
    total.insert(total.begin(), keys[order[k]]);
    groups.push_back(std::move(total));
  }
  return groups;
}

}  // namespace concord::sequence
