// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How elements travel between members whose stretches lie on GPUs, and which of
// the ways members choose.

#ifndef CONCORD_BACKENDS_MPI_GPU_WAYS_H_
#define CONCORD_BACKENDS_MPI_GPU_WAYS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/mpi/team.h"

namespace concord {

enum class GpuWay {
  kIpc,     // CUDA's handles of memory, which other processes of the host open
  kNccl,    // NCCL, where each member has a GPU of its own
  kStaged,  // through host memory, by the team's own messages
};

// "ipc", "nccl", "staged".
absl::string_view Name(GpuWay way);
std::optional<GpuWay> FindGpuWay(absl::string_view name);

// What a member tells the others of itself.
struct GpuOffer {
  std::uint64_t host;     // equal for members of one host
  unsigned char gpu[16];  // its UUID
  // Why the member has no NCCL; empty where it has.
  char no_nccl[240];
};

// The ways to try, the best one first.
struct GpuPlan {
  std::vector<GpuWay> ways;
  // Why better ones are not among them: "; " between reasons.
  std::string reasons;
};

// The same for all members. Unavailable says why there is not the one that is
// `forced`.
absl::StatusOr<GpuPlan> PlanWays(absl::Span<const GpuOffer> offers,
                                 std::optional<GpuWay> forced);

// Who carries, and what people are told of it: "ipc", "staged (ipc: ...)".
struct GpuCarrier {
  std::shared_ptr<Team> team;
  std::string way;
};

// The first way of the plan that `make` can make for all members. All members
// call it together. Unavailable: none.
absl::StatusOr<GpuCarrier> FirstThatWorks(
    Team& team, const GpuPlan& plan,
    const std::function<absl::StatusOr<std::shared_ptr<Team>>(GpuWay)>& make);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_GPU_WAYS_H_
