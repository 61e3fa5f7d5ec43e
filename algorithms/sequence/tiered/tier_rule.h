// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// When compiling a pass pays. Interpreting costs more for each element, and
// compiling costs once:
//
//   extra(pass)    = seconds that an element takes longer when it is
//                    interpreted: a constant of the frame and one for each
//                    operation, divided by the multiprocessors
//   compile(pass)  = seconds that the driver's compiler takes, by the frame
//
// A pass is interpreted while the sum of elements * extra over its runs is at
// most `compile`, and compiled before the run that exceeds it. So nothing costs
// more than twice what the better choice in hindsight would have, as far as the
// estimates hold.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIER_RULE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIER_RULE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/plan.h"

namespace concord::sequence {

// $CONCORD_JIT.
enum class JitMode {
  kAuto,    // by the rule; so it is without the variable
  kAlways,  // compile at once
  kNever,   // interpret everything, also what lies in a cache
};

// InvalidArgument: another value.
absl::StatusOr<JitMode> JitModeFromEnvironment();

// Operations of a pass for each element: of its prologue, its operator and its
// epilogue, where that is applied to each.
int InterpretedOperations(const Pass& pass);

// On a GPU with so many multiprocessors.
double ExtraSecondsOfElement(const Pass& pass, int multiprocessors);

double CompileSeconds(const Pass& pass);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_TIERED_TIER_RULE_H_
