// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_FAULTY_RUN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_FAULTY_RUN_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/testing/engine/planted_faults.h"

namespace concord::sequence {

// Stands in for PlanOf.
using Planning =
    std::function<absl::StatusOr<std::shared_ptr<const Plan>>(const Program&)>;
// Stands in for right.Run(call).
using Passing = std::function<absl::StatusOr<PassOutcome>(
    PassRunner& right, const PassCall& call)>;

// The case's program, run as tbb/interpreter runs it but for one of these.
absl::Status RunPlanned(const FaultyRun& run, const Planning& planning);
absl::Status RunPassing(const FaultyRun& run, const Passing& passing);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_FAULTY_RUN_H_
