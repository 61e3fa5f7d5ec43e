// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/canonical_form.h"

#include <algorithm>
#include <utility>

#include "concord/core/expression/apply.h"

namespace concord::expression {
namespace {

// Builds all nodes anew, operands first. Without recursion: chains can be long.
class Rebuild {
 public:
  Rebuild(const Nodes& from, bool chains)
      : from_(from),
        chains_(chains),
        uses_(from.nodes.size()),
        to_(from.nodes.size(), -1) {
    for (int result : from.results) ++uses_[result];
    for (std::size_t k = from.nodes.size(); k-- > 0;) {
      if (uses_[k] == 0) continue;
      const Node& node = from.nodes[k];
      for (int operand : {node.a, node.b, node.c}) {
        if (operand >= 0) ++uses_[operand];
      }
    }
  }

  Nodes Run() {
    Nodes to;
    for (int result : from_.results) {
      Visit(result);
      to.results.push_back(to_[result]);
    }
    to.nodes = graph_.nodes();
    return to;
  }

 private:
  bool IsChain(const Node& node) const {
    return chains_ && !IsLeaf(node.op) && Associates(node.op, node.type);
  }

  // What the node is computed from: the operands of the whole chain, if it is
  // one, from left to right.
  std::vector<int> OperandsFor(int number) const {
    const Node& root = from_.nodes[number];
    if (!IsChain(root)) {
      std::vector<int> operands;
      for (int operand : {root.a, root.b, root.c}) {
        if (operand >= 0) operands.push_back(operand);
      }
      return operands;
    }
    std::vector<int> operands;
    std::vector<int> rest = {root.b, root.a};
    while (!rest.empty()) {
      const int next = rest.back();
      rest.pop_back();
      const Node& node = from_.nodes[next];
      if (node.op == root.op && uses_[next] == 1) {
        rest.push_back(node.b);
        rest.push_back(node.a);
      } else {
        operands.push_back(next);
      }
    }
    return operands;
  }

  void Visit(int result) {
    std::vector<int> stack = {result};
    while (!stack.empty()) {
      const int number = stack.back();
      if (to_[number] >= 0) {
        stack.pop_back();
        continue;
      }
      const std::vector<int> operands = OperandsFor(number);
      const std::size_t before = stack.size();
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
        if (to_[*it] < 0) stack.push_back(*it);
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      to_[number] = IsChain(from_.nodes[number])
                        ? AddChain(from_.nodes[number], operands)
                        : AddNode(from_.nodes[number]);
    }
  }

  int AddNode(Node node) {
    for (int* operand : {&node.a, &node.b, &node.c}) {
      if (*operand >= 0) *operand = to_[*operand];
    }
    return graph_.Add(node);
  }

  int AddChain(const Node& root, const std::vector<int>& operands) {
    std::vector<int> sorted;
    for (int operand : operands) sorted.push_back(to_[operand]);
    std::sort(sorted.begin(), sorted.end(),
              [this](int x, int y) { return graph_.Compare(x, y) < 0; });
    // Constants are last: they become one. Add folds two.
    const auto is_constant = [this](int number) {
      return graph_[number].op == Op::kConstant;
    };
    while (sorted.size() > 1 && is_constant(sorted[sorted.size() - 2])) {
      const int last = sorted.back();
      sorted.pop_back();
      sorted.back() = graph_.Add({root.op, root.type, sorted.back(), last});
    }
    if (IsIdempotent(root.op)) {
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    }
    int chain = sorted[0];
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      chain = graph_.Add({root.op, root.type, chain, sorted[k]});
    }
    return chain;
  }

  const Nodes& from_;
  const bool chains_;
  std::vector<int> uses_;
  std::vector<int> to_;
  Graph graph_;
};

// Two rounds do for all but contrived functions. More than this would only
// leave a function in a form that depends on how it was written.
constexpr int kMostRounds = 100;

}  // namespace

Nodes CanonicalForm(Nodes from) {
  // Equal nodes have to be one before their uses are counted.
  from = Rebuild(from, /*chains=*/false).Run();
  for (int round = 0; round < kMostRounds; ++round) {
    // A merge of nodes leaves fewer uses of their operands, which may then be
    // parts of a chain, so once is not enough.
    Nodes to = Rebuild(from, /*chains=*/true).Run();
    if (to == from) break;
    from = std::move(to);
  }
  return from;
}

}  // namespace concord::expression
