// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Plans on arrays of any backend, for whatever runs single passes.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RUN_PLAN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RUN_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"

namespace concord::sequence {

// A pass that is not a kCount, and its arrays.
struct PassCall {
  const Pass& pass;
  // At least one.
  std::int64_t n;
  // The index of the first element; 0 but for a pass of the last one.
  std::int64_t index;
  // Of n elements, from the pass's first one on.
  std::vector<ConstArrayView> inputs = {};
  std::vector<ConstArrayView> tables = {};
  // Of n elements; of 1 for a reduction.
  std::vector<ArrayView> outputs = {};
};

// A number of elements, which the host need not know: then the backend's memory
// has it, an int64, once the pass has run that it comes from, and until that
// runs again. It is the runner's memory, and stays as long as the runner does.
struct Count {
  std::int64_t known = 0;
  std::optional<ConstArrayView> there = {};

  // Waits for it.
  absl::StatusOr<std::int64_t> Get(Backend& backend) const;
};

struct PassOutcome {
  // By a filter.
  Count kept = {};
  // For each table, the first element that reads outside of it, counted from 0.
  std::vector<std::optional<std::int64_t>> outside = {};
};

class PassRunner {
 public:
  virtual ~PassRunner() = default;
  virtual absl::StatusOr<PassOutcome> Run(const PassCall& call) = 0;
};

// Runs the plan of the program, passes by `runner` and buffers from `backend`,
// each of which goes back after the last pass that reads it. Writes the
// results' first elements, and returns how many there are; results have room
// for them. Errors about values are those of RunProgram.
absl::StatusOr<std::int64_t> RunPlan(const Program& program, const Plan& plan,
                                     absl::Span<const ConstArrayView> columns,
                                     absl::Span<const ArrayView> results,
                                     Backend& backend, PassRunner& runner);

// The same, but does not wait for a filter that comes last.
absl::StatusOr<Count> QueuePlan(const Program& program, const Plan& plan,
                                absl::Span<const ConstArrayView> columns,
                                absl::Span<const ArrayView> results,
                                Backend& backend, PassRunner& runner);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RUN_PLAN_H_
