// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_NCCL_TEAM_H_
#define CONCORD_BACKENDS_MPI_NCCL_TEAM_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/backends/mpi/nccl_library.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/backend.h"

namespace concord {

// A team whose elements travel by NCCL between the GPUs of its members, of
// which each has one of its own; `local` is a backend "cuda". Called by all
// members together; all get it, or all the same failure.
absl::StatusOr<std::shared_ptr<Team>> MakeNcclTeam(
    std::shared_ptr<Team> team, std::shared_ptr<Backend> local);

// What it takes of NCCL and of CUDA.
struct NcclParts {
  absl::StatusOr<const NcclLibrary*> nccl;
  cudaStream_t stream = nullptr;
  // Whether all work on the stream is done; does not wait.
  std::function<absl::StatusOr<bool>()> is_done;
};

// The same of other parts, for tests: `local` is any backend.
absl::StatusOr<std::shared_ptr<Team>> MakeNcclTeam(
    std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
    NcclParts parts);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_NCCL_TEAM_H_
