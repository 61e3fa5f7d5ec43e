// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How elements are sorted and grouped by a key, written plainly.
//
// Keys of one type are in a total order: integers by value, false before true,
// floats as they compare but -0.0 before 0.0, and NaN last. All NaNs are one
// key, -0.0 and 0.0 are two. Elements are one group if their keys are the same
// in this order.
//
// What a group amounts to does not depend on how it is computed: elements are
// sorted, stably, and scanned in the order of order.h by the operator on pairs
// (whether the element is the first of its group, its values)
//
//   (f, v), (g, w) -> (f | g, g ? w : v op w)
//
// The last element of each group then has its total.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_GROUPS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// Values of an element that are combined in groups: with the flag, two tuples
// of them are the parameters of a function.
inline constexpr std::size_t kMostGrouped = expression::kMostParameters / 2 - 1;

// The types of what is combined in groups, where `function` gives the key, or
// the key and values, of elements of these types.
std::vector<expression::Type> GroupedTypes(
    const expression::Function& function,
    const std::vector<expression::Type>& elements);

// The operator on pairs. InvalidArgument: with what they add, `op` is more than
// a function can have.
absl::StatusOr<expression::Operator> RestartingAtFlags(
    const expression::Operator& op);

// Whether key a comes before key b. A NaN is the quiet NaN.
bool IsBefore(expression::Type type, expression::Word a, expression::Word b);

// k -> k, but for a NaN, which becomes the quiet NaN.
expression::Function CanonicalKey(expression::Type type);

// j, k -> whether k is another key than j, which is the same or before it.
expression::Function IsAnotherKey(expression::Type type);

// Positions of keys, ascending and stably.
std::vector<std::size_t> PositionsByKey(
    expression::Type type, absl::Span<const expression::Word> keys);

// (key, how many have it) for each of these keys.
std::vector<Tuple> Histogram(expression::Type type,
                             absl::Span<const expression::Word> keys);

// (key, total) for each of these keys; `values` are those of elements.
// InvalidArgument: that of RestartingAtFlags.
absl::StatusOr<std::vector<Tuple>> GroupReduce(
    expression::Type type, absl::Span<const expression::Word> keys,
    absl::Span<const Tuple> values, const expression::Operator& op,
    const std::optional<Tuple>& start);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_GROUPS_H_
