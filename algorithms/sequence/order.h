// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// In which order an operator combines elements. It depends on indices alone, so
// that results have the same bits everywhere, also where an operator is not
// quite associative, such as a sum of floats. Written plainly: a level of
// totals at a time.
//
//   built-in + * of floats   reduce: the tree of algorithms/reduce/reduce.h
//                            scans: the fixed order of algorithms/scan/scan.h,
//                            from 0 or 1 on
//   built-in, others         any order: it makes no difference
//   a user's, reduce         rows of 128 elements, each from left to right;
//                            then neighbouring rows in pairs, and the results
//                            of these in pairs, and so on; an odd one out moves
//                            up
//   a user's, scans          the fixed order of algorithms/scan/scan.h, but
//                            from the first node on: the identity is the first
//                            result of an exclusive scan, and in no other
//
// With a start value, reduce is start op (all of them), and scans begin with it
// where those of floats begin with 0 or 1.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_ORDER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_ORDER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// The values of one element.
using Tuple = std::vector<expression::Word>;

// Elements that a user's operator combines from left to right.
inline constexpr std::size_t kRow = 128;

// What no elements amount to; nothing if the operator has no identity. As in
// `reduce`, a sum of no floats is 0.0, though -0.0 is the identity.
std::optional<Tuple> OfNothing(const expression::Operator& op);

// All of them together; nothing if there are none, and neither a start nor an
// identity.
std::optional<Tuple> Reduce(const expression::Operator& op,
                            absl::Span<const Tuple> x,
                            const std::optional<Tuple>& start);

std::vector<Tuple> InclusiveScan(const expression::Operator& op,
                                 absl::Span<const Tuple> x,
                                 const std::optional<Tuple>& start);
// There is a start or an identity.
std::vector<Tuple> ExclusiveScan(const expression::Operator& op,
                                 absl::Span<const Tuple> x,
                                 const std::optional<Tuple>& start);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_ORDER_H_
