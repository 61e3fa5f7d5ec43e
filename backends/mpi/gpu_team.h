// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_GPU_TEAM_H_
#define CONCORD_BACKENDS_MPI_GPU_TEAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/mpi/team.h"
#include "concord/backends/mpi/team_backend.h"

namespace concord {

// Whether what follows "mpi:" asks for GPUs: "cuda", "cuda@ipc@uneven".
bool AsksForGpus(absl::string_view argument);

// The parts of a team's backend on GPUs: the ranks of a host take turns at the
// GPUs that they see, and elements travel the best way there is, or the one
// that the argument names, "@ipc", "@nccl" or "@staged". A fact says which it
// is, and why no better one. Called by all members together.
//
// InvalidArgument: not such an argument. Unavailable: a member has no GPU, or
// members cannot go the way that is named.
absl::StatusOr<TeamParts> OpenOnGpus(const std::shared_ptr<Team>& team,
                                     absl::string_view argument);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_GPU_TEAM_H_
