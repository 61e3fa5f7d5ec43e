// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_AXES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_AXES_H_

#include <vector>

#include "concord/algorithms/sequence/program.h"
#include "concord/core/spec.h"

namespace concord::sequence {

// How a case of the program is made smaller: "elements" of all columns that are
// as long as the longest; "stages", which whoever reads them then does without;
// "operations" of functions, in whose place is an operand, or 0; "literals" of
// functions, in whose place is 0.
std::vector<Axis> AxesOf(const Case& test_case, const Program& program);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_AXES_H_
