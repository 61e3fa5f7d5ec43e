// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_SPEC_CASES_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_SPEC_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/spec.h"

namespace concord::similar_pairs {

// The first is "families": sketches that came of one ancestor differ by less
// than 1 everywhere, those of different ones by hundreds.
std::vector<std::string> SketchDistributions(ElementType type);

// [rows, dim].
absl::StatusOr<HostArray> DrawSketches(const std::string& distribution,
                                       ElementType type, std::int64_t rows,
                                       std::int64_t dim, std::uint64_t seed);

// Numbers at which sums overflow, are rounded or are just within the limit.
std::vector<Case> SpecialSketches();

// How many rows the input of a case has.
std::int64_t RowsOf(const Case& test_case);

// The case with these rows of its input, in this order.
Case WithRows(Case test_case, const std::vector<std::int64_t>& rows);

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_SPEC_CASES_H_
