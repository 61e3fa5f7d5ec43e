// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/mpi_waits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "concord/backends/mpi/mpi_team.h"
#include "concord/backends/mpi/team.h"

namespace concord {
namespace {

WaitLimit LimitOfThisRank(double seconds, absl::string_view words,
                          int exit_status) {
  // Before MPI starts it is what mpirun says.
  const MpiRank self = FindMpiRank().value_or(MpiRank{0, 1});
  return {seconds + Ahead(self.index),
          {absl::StrCat("rank ", self.index, " of ", self.count, ": ", words),
           exit_status}};
}

}  // namespace

double Ahead(int rank) {
  constexpr double kSecondsAhead = 2;
  constexpr int kMostAhead = 10;
  return kSecondsAhead * std::min(rank, kMostAhead);
}

std::string NotComeFor(double seconds) {
  return absl::StrCat("another rank has not come for ", seconds,
                      " seconds (CONCORD_PATIENCE)");
}

WaitLimit LimitOf(absl::string_view call, int exit_status) {
  const double patience = TeamPatience();
  return LimitOfThisRank(patience,
                         absl::StrCat(NotComeFor(patience), ", in MPI_", call),
                         exit_status);
}

WaitLimit LimitOfFailed(absl::string_view words, int exit_status) {
  return LimitOfThisRank(std::min(kStartSeconds, TeamPatience()), words,
                         exit_status);
}

}  // namespace concord
