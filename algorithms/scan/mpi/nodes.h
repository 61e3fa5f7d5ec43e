// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_MPI_NODES_H_
#define CONCORD_ALGORITHMS_SCAN_MPI_NODES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/backends/mpi/nodes.h"

namespace concord::scan {

// What so many equal nodes in order amount to, a power of two of them: a node
// themselves.
template <typename Op, typename T = typename Op::Element>
T TotalOf(absl::Span<const T> totals) {
  NodeCounter<Op> counter(Op::Empty());
  int level = 0;
  for (const T& total : totals) counter.Append(total);
  while ((std::size_t{1} << level) < totals.size()) ++level;
  return counter.total(level);
}

// The total of a node that is one of `told`, which are sorted by their first
// element, or is made of several of them. Elements of which nothing was told
// count as if they were not there.
template <typename Op, typename T = typename Op::Element>
T TotalFrom(const std::vector<Node<T>>& told, std::int64_t first,
            std::int64_t level) {
  const auto node = std::lower_bound(
      told.begin(), told.end(), first,
      [](const Node<T>& a, std::int64_t place) { return a.first < place; });
  if (node != told.end() && node->first == first && node->level == level) {
    return node->total;
  }
  if (level == 0) return Op::Identity();
  const std::int64_t half = std::int64_t{1} << (level - 1);
  return Op()(TotalFrom<Op>(told, first, level - 1),
              TotalFrom<Op>(told, first + half, level - 1));
}

// Goes over nodes that follow each other from the first element on, and knows
// what precedes the next one. As NodeCounter, but for nodes of any sizes.
template <typename Op>
class Cursor {
 public:
  using T = typename Op::Element;

  // What all nodes so far amount to.
  T prefix() const { return prefix_; }

  // The node begins where the one before ended.
  void Append(T total, std::int64_t level) {
    T before = prefix_;
    const std::int64_t end = at_ + (std::int64_t{1} << level);
    for (; (at_ >> level & 1) != 0; ++level) {
      total = Op()(totals_[level], total);
      before = befores_[level];
    }
    totals_[level] = total;
    befores_[level] = before;
    prefix_ = Op()(before, total);
    at_ = end;
  }

 private:
  std::int64_t at_ = 0;
  T prefix_ = Op::Empty();
  T totals_[63];
  T befores_[63];
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_MPI_NODES_H_
