// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_CASES_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/spec.h"

namespace concord::look_and_say {

// Where digits come from:
//   uniform      any digit
//   tame         1, 2 and 3, in runs of at most 3, as in every later term
//   runs         runs whose lengths spread over all magnitudes
//   equal        one run
//   alternating  two digits in turn
//   one          the sequence itself: the seed is 1, and there are as many
//                steps as it takes to a term of the size that is asked for,
//                whatever the options say
const std::vector<std::string>& LookAndSayDistributions();

// A case whose last step has about `request.size` digits before it; exactly so
// many if there is only one step.
absl::StatusOr<Case> GenerateLookAndSayCase(
    const CaseRequest& request, const std::vector<OptionSpec>& options);

std::vector<Case> LookAndSaySpecialCases(
    const std::vector<OptionSpec>& options);

// The right output, made step by step, as text. ResourceExhausted where that
// would take more memory than there is.
absl::StatusOr<HostArray> ExpectedLookAndSay(
    absl::Span<const std::uint8_t> in, const LookAndSay::Options& options);

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_CASES_H_
