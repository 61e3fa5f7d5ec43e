// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_COMPILER_FAULTS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_COMPILER_FAULTS_H_

#include <vector>

#include "concord/testing/engine/planted_faults.h"

namespace concord::sequence {

// Mistakes that a compiler of programs makes, planted into tbb/interpreter.
// Each of them runs the program of the case by its plan, as that does, and
// changes one thing on the way. The engine must catch all of them.

// In the code of functions: what is run is another function, of equal types.
std::vector<Fault> FunctionFaults();

// In plans, in how passes are cut and what their lanes read, and in the cache
// of plans.
std::vector<Fault> PlanFaults();

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_COMPILER_FAULTS_H_
