// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Nodes of a binary tree over an array's units (elements, leaves, chunks),
// whose shape depends on their numbers alone. A member knows what the nodes
// that lie with it amount to; of these the tree of the whole can be made.

#ifndef CONCORD_BACKENDS_MPI_NODES_H_
#define CONCORD_BACKENDS_MPI_NODES_H_

#include <cstdint>
#include <vector>

namespace concord {

// 2^level units, the first of them at a multiple of 2^level, and what they
// amount to.
template <typename T>
struct Node {
  std::int64_t first;
  std::int64_t level;
  T total;
};

// As many as a stretch can be cut into: two of each size.
inline constexpr int kMostNodes = 2 * 62;

// The nodes that `count` units from `first` on are cut into, the largest that
// there are, from the left to the right. The totals are still to be set.
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

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_NODES_H_
