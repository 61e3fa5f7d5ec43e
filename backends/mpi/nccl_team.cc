// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_team.h"

#include <sched.h>

#include <functional>
#include <utility>
#include <vector>

#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/mpi/gpu_carriers.h"
#include "concord/backends/mpi/gpu_link.h"
#include "concord/backends/mpi/nccl_library.h"
#include "concord/backends/mpi/time_left.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

class NcclTeam : public GpuCarrierTeam {
 public:
  // `activate` makes the member's device that of a thread.
  NcclTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
           std::function<absl::Status()> activate, const NcclLibrary& nccl,
           NcclComm comm)
      : GpuCarrierTeam(std::move(team), std::move(local)),
        activate_(std::move(activate)),
        nccl_(nccl),
        comm_(comm) {}
  ~NcclTeam() override {
    if (state_.ok()) nccl_.CommDestroy(comm_);
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    RETURN_IF_ERROR(state_);
    absl::Status status = local().Activate();
    status.Update(CopyOwn(parcels, slots));
    RETURN_IF_ERROR(team().Agree(status));
    status = Send(parcels, slots);
    if (status.ok()) status = Await();
    // One whose own elements have come waits for no others.
    state_ = team().Agree(status);
    // The others' would end the program where it waits for this one.
    if (!state_.ok()) nccl_.CommAbort(comm_);
    return state_;
  }

 private:
  // What a member has for the others.
  struct Letters {
    std::vector<Parcel> parcels;
    std::vector<Slot> slots;
  };

  // NCCL connects two members when they first exchange something.
  absl::Status Send(absl::Span<const Parcel> parcels,
                    absl::Span<const Slot> slots) {
    Letters letters = {{parcels.begin(), parcels.end()},
                       {slots.begin(), slots.end()}};
    const auto self = static_cast<std::size_t>(rank());
    letters.parcels[self] = {};
    letters.slots[self] = {};
    bool all_met = true;
    for (std::size_t r = 0; r < met_.size(); ++r) {
      const bool meets = parcels[r].bytes > 0 || slots[r].bytes > 0;
      all_met = all_met && (met_[r] || !meets || r == self);
      met_[r] = met_[r] || meets;
    }
    const cudaStream_t stream = static_cast<CudaBackend&>(local()).stream();
    if (all_met) return SendLetters(nccl_, comm_, stream, letters);
    return WaitWithin(patience_, "a connection of NCCL's",
                      [activate = activate_, &nccl = nccl_, comm = comm_,
                       stream, letters = std::move(letters)] {
                        RETURN_IF_ERROR(activate());
                        return SendLetters(nccl, comm, stream, letters);
                      });
  }

  static absl::Status SendLetters(const NcclLibrary& nccl, NcclComm comm,
                                  cudaStream_t stream, const Letters& letters) {
    NcclResult result = nccl.GroupStart();
    for (std::size_t r = 0; r < letters.parcels.size(); ++r) {
      const Parcel& parcel = letters.parcels[r];
      const Slot& slot = letters.slots[r];
      const int other = static_cast<int>(r);
      if (result == 0 && parcel.bytes > 0) {
        result = nccl.Send(parcel.data, static_cast<std::size_t>(parcel.bytes),
                           kNcclBytes, other, comm, stream);
      }
      if (result == 0 && slot.bytes > 0) {
        result = nccl.Recv(slot.data, static_cast<std::size_t>(slot.bytes),
                           kNcclBytes, other, comm, stream);
      }
    }
    const NcclResult end = nccl.GroupEnd();
    return NcclStatus(nccl, result != 0 ? result : end, "sending");
  }

  absl::Status Await() {
    TimeLeft left(patience_);
    while (true) {
      ASSIGN_OR_RETURN(const bool done, IsDone(local()));
      if (done) return absl::OkStatus();
      NcclResult result = 0;
      nccl_.CommGetAsyncError(comm_, &result);
      RETURN_IF_ERROR(NcclStatus(nccl_, result, "receiving"));
      if (left.IsOver()) {
        return WaitedInVain(patience_, "elements of another rank");
      }
      sched_yield();
    }
  }

  const std::function<absl::Status()> activate_;
  const NcclLibrary& nccl_;
  const NcclComm comm_;
  const double patience_ = TeamPatience();
  // The members with whom something has been exchanged.
  std::vector<bool> met_ = std::vector<bool>(static_cast<std::size_t>(size()));
  // Not ok once elements have not come: what was begun cannot be finished.
  absl::Status state_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Team>> MakeNcclTeam(
    std::shared_ptr<Team> team, std::shared_ptr<Backend> local) {
  const absl::StatusOr<const NcclLibrary*> loaded = LoadNccl();
  absl::Status status = loaded.status();
  NcclId id = {};
  if (status.ok()) status = local->Activate();
  if (status.ok() && team->rank() == 0) {
    status = NcclStatus(**loaded, (*loaded)->GetUniqueId(&id), "an identifier");
  }
  RETURN_IF_ERROR(team->Agree(status));
  ASSIGN_OR_RETURN(const std::vector<NcclId> ids, team->AllGather(id));
  const NcclLibrary& nccl = **loaded;
  // A rank that fails at once waits for the others, with the patience of the
  // team, to agree on what is tried instead.
  constexpr double kShareOfPatience = 0.25;
  const auto activate = [local] { return local->Activate(); };
  absl::StatusOr<NcclComm> comm =
      StartNccl(nccl, team->size(), ids[0], team->rank(), activate,
                kShareOfPatience * TeamPatience());
  if (absl::IsDeadlineExceeded(comm.status())) {
    return absl::UnavailableError(comm.status().message());
  }
  RETURN_IF_ERROR(comm.status());
  return std::make_shared<NcclTeam>(std::move(team), std::move(local), activate,
                                    nccl, *comm);
}

}  // namespace concord
