// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_CASES_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_CASES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/host_array.h"
#include "concord/core/spec.h"

namespace concord::max_subarray {

// The shared distributions (core/distributions.h) and
//
//   last         random, but the last elements are the largest: the best run
//                reaches the end
//   negative     no element is positive, where the type has negative ones
//   steps        -1, 0 and 1 (0 and 1 of unsigned types): many runs are equal
//   edges        -1, and a pair of 1s over each multiple of 256 elements: what
//                crosses a leaf or a tile is best
std::vector<std::string> MaxSubarrayDistributions(ElementType type);

// 64-bit integers are made so small that the sum of every run fits.
absl::StatusOr<HostArray> DrawForMaxSubarray(const std::string& distribution,
                                             ElementType type,
                                             std::int64_t size,
                                             std::uint64_t seed);

std::vector<Case> MaxSubarraySpecialCases();

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_CASES_H_
