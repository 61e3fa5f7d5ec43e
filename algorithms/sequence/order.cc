// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/element_type.h"

namespace concord::sequence {
namespace {

using expression::IsFloat;
using expression::Op;
using expression::Operator;
using expression::Type;

// Of floats: + or *.
bool IsFloatSumOrProduct(const Operator& op) {
  return (op.built_in() == Op::kAdd || op.built_in() == Op::kMultiply) &&
         IsFloat(op.types()[0]);
}

Tuple LeftToRight(const Operator& op, absl::Span<const Tuple> x) {
  Tuple total = x[0];
  for (const Tuple& element : x.subspan(1)) total = op.Apply(total, element);
  return total;
}

// a[j] op a[j + h] for j < h, for h = size/2, size/4, ..., 1, where there are
// `size` places, the first of which have a value.
Tuple ByHalving(const Operator& op, std::vector<Tuple> a, std::size_t size) {
  for (std::size_t h = size / 2; h >= 1; h /= 2) {
    for (std::size_t j = 0; j < h && j + h < a.size(); ++j) {
      a[j] = op.Apply(a[j], a[j + h]);
    }
    a.resize(std::min(a.size(), h));
  }
  return a[0];
}

// The tree of reduce.h. `row` elements are 512 bytes.
class FloatTree {
 public:
  explicit FloatTree(const Operator& op)
      : op_(op),
        row_(concord::Reduce::kRowBytes /
             static_cast<std::size_t>(BytesOf(op.types()[0]))) {}

  Tuple OfArray(absl::Span<const Tuple> x) const {
    const std::size_t chunk = row_ * concord::Reduce::kRowsPerSegment *
                              concord::Reduce::kSegmentsPerChunk;
    if (x.size() <= chunk) return OfChunk(x);
    std::vector<Tuple> results;
    for (std::size_t i = 0; i < x.size(); i += chunk) {
      results.push_back(OfChunk(x.subspan(i, chunk)));
    }
    return OfArray(results);
  }

 private:
  Tuple OfChunk(absl::Span<const Tuple> x) const {
    const std::size_t segment = row_ * concord::Reduce::kRowsPerSegment;
    std::vector<Tuple> results;
    for (std::size_t i = 0; i < x.size(); i += segment) {
      results.push_back(OfSegment(x.subspan(i, segment)));
    }
    return ByHalving(op_, std::move(results),
                     concord::Reduce::kSegmentsPerChunk);
  }

  Tuple OfSegment(absl::Span<const Tuple> x) const {
    std::vector<Tuple> lanes(x.begin(), x.begin() + std::min(row_, x.size()));
    for (std::size_t i = row_; i < x.size(); ++i) {
      lanes[i % row_] = op_.Apply(lanes[i % row_], x[i]);
    }
    return ByHalving(op_, std::move(lanes), row_);
  }

  const Operator& op_;
  const std::size_t row_;
};

// Neighbours in pairs; an odd one out stays.
std::vector<Tuple> Paired(const Operator& op, absl::Span<const Tuple> x) {
  std::vector<Tuple> pairs;
  for (std::size_t j = 0; j + 1 < x.size(); j += 2) {
    pairs.push_back(op.Apply(x[j], x[j + 1]));
  }
  if (x.size() % 2 != 0) pairs.push_back(x.back());
  return pairs;
}

Tuple OfRows(const Operator& op, absl::Span<const Tuple> x) {
  std::vector<Tuple> totals;
  for (std::size_t i = 0; i < x.size(); i += kRow) {
    totals.push_back(LeftToRight(op, x.subspan(i, kRow)));
  }
  while (totals.size() > 1) totals = Paired(op, totals);
  return totals[0];
}

// What the first i elements amount to, for all i: their nodes from the largest
// on, after `start` where there is one. Nothing of no elements without it.
class NodePrefixes {
 public:
  NodePrefixes(const Operator& op, absl::Span<const Tuple> x,
               std::optional<Tuple> start)
      : op_(op), start_(std::move(start)) {
    levels_.emplace_back(x.begin(), x.end());
    while (levels_.back().size() > 1) {
      levels_.push_back(Paired(op, levels_.back()));
    }
  }

  std::optional<Tuple> Before(std::size_t i) const {
    std::optional<Tuple> prefix = start_;
    std::size_t first = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      if ((i >> level & 1) == 0) continue;
      const Tuple& node = levels_[level][first >> level];
      prefix = prefix.has_value() ? op_.Apply(*prefix, node) : node;
      first += std::size_t{1} << level;
    }
    return prefix;
  }

 private:
  const Operator& op_;
  const std::optional<Tuple> start_;
  // Totals of 1, 2, 4, ... elements.
  std::vector<std::vector<Tuple>> levels_;
};

NodePrefixes PrefixesOf(const Operator& op, absl::Span<const Tuple> x,
                        const std::optional<Tuple>& start) {
  const bool begins = !start.has_value() && op.built_in().has_value();
  return NodePrefixes(op, x, begins ? OfNothing(op) : start);
}

}  // namespace

std::optional<Tuple> OfNothing(const Operator& op) {
  if (op.built_in() == Op::kAdd) return Tuple{0};
  return op.identity();
}

std::optional<Tuple> Reduce(const Operator& op, absl::Span<const Tuple> x,
                            const std::optional<Tuple>& start) {
  if (x.empty()) return start.has_value() ? start : OfNothing(op);
  const Tuple total = IsFloatSumOrProduct(op)     ? FloatTree(op).OfArray(x)
                      : op.built_in().has_value() ? LeftToRight(op, x)
                                                  : OfRows(op, x);
  return start.has_value() ? op.Apply(*start, total) : total;
}

std::vector<Tuple> InclusiveScan(const Operator& op, absl::Span<const Tuple> x,
                                 const std::optional<Tuple>& start) {
  const NodePrefixes prefixes = PrefixesOf(op, x, start);
  std::vector<Tuple> results;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::optional<Tuple> before = prefixes.Before(i);
    results.push_back(before.has_value() ? op.Apply(*before, x[i]) : x[i]);
  }
  return results;
}

std::vector<Tuple> ExclusiveScan(const Operator& op, absl::Span<const Tuple> x,
                                 const std::optional<Tuple>& start) {
  const NodePrefixes prefixes = PrefixesOf(op, x, start);
  std::vector<Tuple> results;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::optional<Tuple> before = prefixes.Before(i);
    results.push_back(before.has_value() ? *before : *OfNothing(op));
  }
  return results;
}

}  // namespace concord::sequence
