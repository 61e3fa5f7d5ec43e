// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_THREAD_TEAM_H_
#define CONCORD_BACKENDS_MPI_THREAD_TEAM_H_

#include <functional>
#include <memory>

#include "concord/backends/mpi/team.h"

namespace concord {

// Calls member(team) from `size` threads at once, each of which is a member of
// one team, and waits for all. For tests: without MPI, and under
// ThreadSanitizer. A member that returns early lets the others wait for
// `patience` seconds.
void RunThreadTeam(
    int size, const std::function<void(const std::shared_ptr<Team>&)>& member,
    double patience = TeamPatience());

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_THREAD_TEAM_H_
