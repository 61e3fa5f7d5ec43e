// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_CASES_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_CASES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/host_array.h"
#include "concord/core/spec.h"

namespace concord::match_parens {

// What is drawn:
//
//   balanced      nested at random, about sqrt(n) deep
//   fault_at_end  balanced, but the last bracket is one closing bracket more
//   sparse        the same, nine tenths of it no brackets
//   deep          first all opening brackets, then all closing ones
//   flat          pairs, one after the other
//   random        brackets without any order: a fault soon
//   one_wrong     balanced but for one bracket, which is any other
//   crossing      balanced but for two closing brackets that changed places
//   never_closed  balanced but for one opening bracket more, somewhere
//   edges         flat, with a wrong closing bracket right before or behind a
//                 multiple of 256 elements
const std::vector<std::string>& MatchParensDistributions();

absl::StatusOr<HostArray> DrawBrackets(absl::string_view distribution,
                                       ElementType type, std::int64_t size,
                                       const std::string& kinds,
                                       std::uint64_t seed);

std::vector<Case> MatchParensSpecialCases();

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_CASES_H_
