// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_MPI_TEAM_H_
#define CONCORD_BACKENDS_MPI_MPI_TEAM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/backends/mpi/team.h"

namespace concord {

// Which of how many ranks this process is.
struct MpiRank {
  int index;
  int count;
};

// Nothing where neither mpirun started the program nor the program MPI. Does
// neither start MPI itself nor load it.
std::optional<MpiRank> FindMpiRank();

// What this was compiled for, and what is there: "Open MPI v4.1.4". Unavailable
// says why there is nothing.
std::string BuiltForMpi();
absl::StatusOr<std::string> LoadedMpi();

// All ranks of MPI's world. The first call loads and starts MPI, unless the
// program has done so, and is made by all ranks together. What was started here
// is ended when the program ends. If it ends with a failure before the others
// have, the whole job ends with its exit status.
//
// Where MPI starts and ends, a rank that does not come ends the others: no
// status can be returned there. After TeamPatience() seconds one of them writes
// a line to standard error, and the process ends with status 1.
absl::StatusOr<std::shared_ptr<Team>> OpenMpiTeam();

// As Replicas::WhoEndsWith. Apart from calls, in which other ranks may be. A
// rank that has failed before MPI was started gives the others thirty seconds
// to come there, for they may have much to do before. Then it prints the words
// itself, and the process ends with that status.
absl::StatusOr<std::vector<int>> RanksThatEndWith(const std::string& words,
                                                  int exit_status);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_MPI_TEAM_H_
