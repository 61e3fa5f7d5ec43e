// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_SCAN_FIXED_ORDER_H_
#define CONCORD_ALGORITHMS_SCAN_SCAN_FIXED_ORDER_H_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/scan/scan.h"
#include "concord/core/operators.h"

namespace concord::scan {

// What elements amount to in the order of scan.h, while they come one after the
// other. Equal nodes may come in place of elements, as their totals.
//
// It holds the nodes of the cut, one for each bit of the number of elements. A
// new element is a node of its own, and two nodes of equal size become one: a
// binary counter. Each keeps what precedes it, so that a result is one
// operation away.
template <typename Op>
class NodeCounter {
 public:
  using T = typename Op::Element;

  // `prefix`: what precedes the first element, which must be at the start of a
  // node of as many elements as will come.
  explicit NodeCounter(T prefix) : prefix_(prefix) {}

  // What all elements so far amount to.
  T prefix() const { return prefix_; }

  void Append(T total) {
    Node node{total, prefix_};
    int level = 0;
    for (; (count_ >> level & 1) != 0; ++level) {
      node = {Op()(nodes_[level].total, node.total), nodes_[level].before};
    }
    nodes_[level] = node;
    prefix_ = Op()(node.before, node.total);
    ++count_;
  }

  // The total of 2^level elements, when there have been as many.
  T total(int level) const { return nodes_[level].total; }

 private:
  struct Node {
    T total;
    T before;
  };

  Node nodes_[63];
  std::uint64_t count_ = 0;
  T prefix_;
};

// Whether the order decides about the bits.
template <typename Op>
inline constexpr bool kScanOrderMatters =
    std::is_floating_point_v<typename Op::Element> &&
    (std::is_same_v<Op, Add<typename Op::Element>> ||
     std::is_same_v<Op, Multiply<typename Op::Element>>);

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_SCAN_FIXED_ORDER_H_
