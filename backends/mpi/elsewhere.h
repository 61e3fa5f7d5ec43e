// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_ELSEWHERE_H_
#define CONCORD_BACKENDS_MPI_ELSEWHERE_H_

#include <memory>
#include <utility>

#include "concord/backends/mpi/gpu_carriers.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {

// For tests: a team's backend as on GPUs, without one. Each member has its
// stretches in a memory that is not the host's by its name, and runs the serial
// implementations there; elements travel staged, in small pieces. Whoever takes
// an address among all members for one of its own gets no memory there.
inline absl::StatusOr<std::shared_ptr<TeamBackend>> OpenElsewhere(
    std::shared_ptr<Team> team, Layout layout) {
  TeamParts parts;
  parts.spec = "elsewhere";
  parts.local = std::make_shared<PlainBackend>("serial", Memory("elsewhere"));
  parts.layout = layout;
  parts.carrier = MakeStagedTeam(team, parts.local, /*piece=*/1000);
  return TeamBackend::Make(std::move(team), std::move(parts));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_ELSEWHERE_H_
