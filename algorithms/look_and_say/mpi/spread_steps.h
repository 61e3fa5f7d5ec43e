// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_SPREAD_STEPS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_SPREAD_STEPS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/tbb/steps.h"
#include "concord/backends/mpi/runs_over_borders.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/array.h"

namespace concord::look_and_say {

// Every step of digits of which each rank has a part: it says what it has, and
// keeps that. A run over borders is said by the rank where it starts, for which
// ranks tell each other before every step how their parts begin and end. Where
// a part becomes more than twice its share, because others shrink or grow less,
// all are cut anew.
class SpreadSteps {
 public:
  using Digits = absl::Span<const std::uint8_t>;

  // Before ranks agree on a call: what can fail on one of them alone.
  absl::Status Prepare(TeamBackend& backend);

  // Afterwards, by all ranks together: what becomes of the digits, of which
  // `digits` are this rank's. The result lasts until the next call.
  absl::StatusOr<Digits> Run(TeamBackend& backend, Digits digits,
                             const LookAndSay::Options& options);

 private:
  // What all tell of their parts, once none has much more than its share.
  absl::StatusOr<std::vector<EndsOfRuns>> Balance(TeamBackend& backend,
                                                  Digits& digits);
  // In moved_, where no digits of the current step are.
  absl::Status MakeRoom(Backend& local, std::int64_t size);
  absl::StatusOr<Digits> Say(Digits digits, const OwnRuns& own,
                             std::int64_t step,
                             const LookAndSay::Options& options);

  // From call to call.
  std::unique_ptr<StepByStep> steps_;
  Array moved_;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_SPREAD_STEPS_H_
