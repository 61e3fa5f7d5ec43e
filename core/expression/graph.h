// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_GRAPH_H_
#define CONCORD_CORE_EXPRESSION_GRAPH_H_

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// One operation of a graph. Operands are numbers of nodes that stand before it.
struct Node {
  Op op;
  Type type;
  // -1 where the operation has no such operand.
  int a = -1;
  int b = -1;
  int c = -1;
  // The value of a kConstant, the number of a kParameter or of the table of a
  // kGather.
  Word bits = 0;

  friend bool operator==(const Node& x, const Node& y) {
    return x.op == y.op && x.type == y.type && x.a == y.a && x.b == y.b &&
           x.c == y.c && x.bits == y.bits;
  }
  friend bool operator!=(const Node& x, const Node& y) { return !(x == y); }
};

// Nodes, each of them once: equal ones are one node. Every step keeps the bits
// of all results:
//
//   - constants are folded, by Apply; one that is a NaN is the quiet NaN;
//   - operands that may be exchanged stand in one order (Compare);
//   - !!a is a; !(a < b) is b <= a, but for floats; min(a, a) is a, as are a &
//     a and the like; c ? a : a is a; !c ? a : b is c ? b : a; a cast to the
//     type of its operand is the operand. Nothing for which a table is read is
//     dropped: the read may be outside of it, which is to be told.
class Graph {
 public:
  // The number of the node, which may be one that was there before. Its types
  // must fit.
  int Add(Node node);
  int Constant(Type type, Word value) {
    return Add({Op::kConstant, type, -1, -1, -1, value});
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](int number) const { return nodes_[number]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  // An order of nodes by what they are, not by when they were added: < 0 if `x`
  // comes before `y`, 0 only for the same node. First what is computed in most
  // steps, then parameters, the index, and last constants.
  int Compare(int x, int y) const;

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };

  bool IsConstant(int number) const {
    return number < 0 || nodes_[number].op == Op::kConstant;
  }
  Node Folded(const Node& node) const;
  // The node that an equivalent one is replaced by, or -1. May change `node` to
  // an equivalent one.
  int Simplify(Node& node) const;

  std::vector<Node> nodes_;
  // The longest way from each node to a leaf.
  std::vector<int> heights_;
  std::unordered_map<Node, int, Hash> numbers_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_GRAPH_H_
