// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_MPI_NODES_H_
#define CONCORD_ALGORITHMS_SCAN_MPI_NODES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/scan/scan_fixed_order.h"

namespace concord::scan {

// A node of the order of scan.h: 2^level elements, the first of them at a
// multiple of 2^level, and what they amount to.
template <typename T>
struct Node {
  std::int64_t first;
  std::int64_t level;
  T total;
};

// As many as a stretch can be cut into: two of each size.
inline constexpr int kMostNodes = 2 * 62;

// The nodes that `count` elements from `first` on are cut into, the largest
// that there are, from the left to the right. The totals are still to be set.
template <typename T>
std::vector<Node<T>> CutIntoNodes(std::int64_t first, std::int64_t count) {
  std::vector<Node<T>> nodes;
  const std::int64_t last = first + count;
  while (first < last) {
    std::int64_t level = first == 0 ? 61 : __builtin_ctzll(first);
    while (first + (std::int64_t{1} << level) > last) --level;
    nodes.push_back({first, level, T{}});
    first += std::int64_t{1} << level;
  }
  return nodes;
}

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
