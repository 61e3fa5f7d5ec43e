// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CACHE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CACHE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/signature_data.h"

namespace concord::sequence {

// How many programs are kept, and how many plans.
inline constexpr int kMostCachedPrograms = 32;

// The program of a text on those of x, y, z and w that are given, which
// `inputs` are in this order. Many ask for it in one call, and parsing tries
// the laws of operators, so the last programs are kept. Threads may call it
// together.
absl::StatusOr<std::shared_ptr<const Program>> ProgramOf(absl::string_view text,
                                                         Views inputs);

// MakePlan, but the plans of the last programs are kept. Threads may call it
// together.
absl::StatusOr<std::shared_ptr<const Plan>> PlanOf(const Program& program);

// The inputs that are given: the columns of that program.
std::vector<ConstArrayView> ColumnsOf(Views inputs);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_CACHE_H_
