// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_CANONICAL_FORM_H_
#define CONCORD_CORE_EXPRESSION_CANONICAL_FORM_H_

#include <vector>

#include "concord/core/expression/graph.h"

namespace concord::expression {

struct Nodes {
  std::vector<Node> nodes;
  // Numbers of nodes.
  std::vector<int> results;

  friend bool operator==(const Nodes& x, const Nodes& y) {
    return x.nodes == y.nodes && x.results == y.results;
  }
};

// The same results, bit for bit, in the form that does not depend on how they
// were written:
//
//   - as Graph has it, and without nodes that no result needs;
//   - a chain of an operation that is exact in any order (Associates), such as
//     min(a, min(b, c)), is computed from left to right in the order of
//     Graph::Compare, with its constants folded to one. What is used elsewhere,
//     too, is an operand of a chain and not a part of it;
//   - nodes are numbered as results need them.
//
// The canonical form of a canonical form is itself. There are never more nodes
// than before.
Nodes CanonicalForm(Nodes from);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_CANONICAL_FORM_H_
