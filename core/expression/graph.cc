// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/graph.h"

#include <algorithm>
#include <utility>

#include "concord/core/expression/apply.h"
#include "concord/core/random.h"

namespace concord::expression {
namespace {

// Whether an element of a table is read for the node.
bool ReadsTables(const std::vector<Node>& nodes, int number) {
  std::vector<int> rest = {number};
  std::vector<bool> seen(static_cast<std::size_t>(number + 1));
  while (!rest.empty()) {
    const int next = rest.back();
    rest.pop_back();
    if (next < 0 || seen[next]) continue;
    seen[next] = true;
    const Node& node = nodes[next];
    if (node.op == Op::kGather) return true;
    rest.insert(rest.end(), {node.a, node.b, node.c});
  }
  return false;
}

}  // namespace

std::size_t Graph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.op) << 8 |
                       static_cast<std::uint64_t>(node.type);
  for (std::uint64_t part :
       {static_cast<std::uint64_t>(node.a), static_cast<std::uint64_t>(node.b),
        static_cast<std::uint64_t>(node.c), node.bits}) {
    hash = RandomBits(hash, part);
  }
  return static_cast<std::size_t>(hash);
}

int Graph::Compare(int x, int y) const {
  // The first operands in which they differ decide, so this is one way down
  // rather than a tree: nodes that are equal are the same.
  while (x != y) {
    if (heights_[x] != heights_[y]) return heights_[y] - heights_[x];
    const Node& p = nodes_[x];
    const Node& q = nodes_[y];
    if (p.op != q.op) {
      return static_cast<int>(p.op) - static_cast<int>(q.op);
    }
    if (p.type != q.type) {
      return static_cast<int>(p.type) - static_cast<int>(q.type);
    }
    if (p.bits != q.bits) return p.bits < q.bits ? -1 : 1;
    const auto [next_x, next_y] = p.a != q.a   ? std::pair(p.a, q.a)
                                  : p.b != q.b ? std::pair(p.b, q.b)
                                               : std::pair(p.c, q.c);
    x = next_x;
    y = next_y;
  }
  return 0;
}

Node Graph::Folded(const Node& node) const {
  const auto value = [&](int operand) {
    return operand < 0 ? Word{0} : nodes_[operand].bits;
  };
  // Of a choice, that of what it chooses from.
  const Type type = nodes_[node.op == Op::kSelect ? node.b : node.a].type;
  const Word folded =
      node.op == Op::kCast
          ? Cast(type, node.type, value(node.a))
          : Apply(node.op, type, value(node.a), value(node.b), value(node.c));
  return {Op::kConstant, node.type, -1, -1, -1, folded};
}

int Graph::Simplify(Node& node) const {
  if (node.op == Op::kCast && nodes_[node.a].type == node.type) return node.a;
  if (IsIdempotent(node.op) && node.a == node.b) return node.a;
  if (node.op == Op::kNot) {
    const Node& inner = nodes_[node.a];
    if (inner.op == Op::kNot) return inner.a;
    const bool ordered = inner.op == Op::kLess || inner.op == Op::kLessEqual;
    if (ordered && !IsFloat(nodes_[inner.a].type)) {
      node = {inner.op == Op::kLess ? Op::kLessEqual : Op::kLess, Type::kBool,
              inner.b, inner.a};
    }
  }
  if (node.op == Op::kSelect) {
    const Node& condition = nodes_[node.a];
    if (condition.op == Op::kConstant) {
      const auto [taken, other] = condition.bits != 0
                                      ? std::pair(node.b, node.c)
                                      : std::pair(node.c, node.b);
      return ReadsTables(nodes_, other) ? -1 : taken;
    }
    if (condition.op == Op::kNot) {
      node = {Op::kSelect, node.type, condition.a, node.c, node.b};
    }
    if (node.b == node.c && !ReadsTables(nodes_, node.a)) return node.b;
  }
  return -1;
}

int Graph::Add(Node node) {
  const bool leaf = IsLeaf(node.op);
  if (node.op == Op::kConstant) node.bits = Canonical(node.type, node.bits);
  if (!leaf && node.op != Op::kGather && IsConstant(node.a) &&
      IsConstant(node.b) && IsConstant(node.c)) {
    node = Folded(node);
  } else if (!leaf) {
    if (const int same = Simplify(node); same >= 0) return same;
    if (Commutes(node.op) && Compare(node.a, node.b) > 0) {
      std::swap(node.a, node.b);
    }
  }
  const auto [found, added] = numbers_.try_emplace(node, size());
  if (!added) return found->second;
  int height = 0;
  for (int operand : {node.a, node.b, node.c}) {
    if (operand >= 0) height = std::max(height, heights_[operand] + 1);
  }
  nodes_.push_back(node);
  heights_.push_back(height);
  return found->second;
}

}  // namespace concord::expression
