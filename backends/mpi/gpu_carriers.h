// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Teams whose Exchange takes addresses in the memory of what members compute
// on, mostly that of a GPU. What members tell each other, AllGather, stays in
// host memory. They see copies and messages, not CUDA, so tests have them
// without a GPU.

#ifndef CONCORD_BACKENDS_MPI_GPU_CARRIERS_H_
#define CONCORD_BACKENDS_MPI_GPU_CARRIERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "concord/backends/mpi/team.h"
#include "concord/core/backend.h"

namespace concord {

// What all of them have in common.
class GpuCarrierTeam : public Team {
 public:
  int rank() const override { return team_->rank(); }
  int size() const override { return team_->size(); }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    return team_->AllGather(mine, bytes, all);
  }

 protected:
  GpuCarrierTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local)
      : team_(std::move(team)), local_(std::move(local)) {}

  Team& team() { return *team_; }
  Backend& local() { return *local_; }

  // Copies bytes, each end in the memory of local() or in host memory.
  absl::Status CopyBytes(const void* from, Memory from_memory, void* to,
                         Memory to_memory, std::int64_t bytes);
  // The parcel for oneself.
  absl::Status CopyOwn(absl::Span<const Parcel> parcels,
                       absl::Span<const Slot> slots);

 private:
  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Backend> local_;
};

// Of what lies between two members so much travels at a time: at most 64 MiB of
// all that a member sends.
std::int64_t UsualPiece(int members);

// Through host memory, in pieces of `piece` bytes.
std::shared_ptr<Team> MakeStagedTeam(std::shared_ptr<Team> team,
                                     std::shared_ptr<Backend> local,
                                     std::int64_t piece);

// By windows: memory of each member's that all others can read. A member puts
// pieces for the others into its own, and they fetch them. windows[r] is that
// of member r, with room for a piece for each member.
struct Windows {
  std::int64_t piece;
  std::vector<std::shared_ptr<char>> of_members;
};
std::shared_ptr<Team> MakeWindowTeam(std::shared_ptr<Team> team,
                                     std::shared_ptr<Backend> local,
                                     Windows windows);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_GPU_CARRIERS_H_
