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
#include "concord/core/guarded.h"

namespace concord {
namespace {

// How long is waited within NCCL, of the team's patience. A rank that fails at
// once waits for the others, with all of the patience, to agree on what comes
// then. They have to be there in time, or its reason is lost.
constexpr double kShareOfPatience = 0.25;

double NcclPatience() { return kShareOfPatience * TeamPatience(); }

// `end` is CommDestroy or CommAbort. Both wait for the other members, and one
// that does not come is not waited for any longer than that. Nothing can be
// done about what fails here.
void EndComm(NcclResult (*end)(NcclComm), NcclComm comm,
             const std::function<absl::Status()>& activate) {
  (void)Guarded([&] {
    return WaitWithin(NcclPatience(), "the end of a communicator of NCCL's",
                      [end, comm, activate] {
                        (void)activate();
                        end(comm);
                        return absl::OkStatus();
                      });
  });
}

// Notes the members with whom there is something to exchange. Whether there
// was before, with each of them.
template <typename Whole>
bool HaveMet(const std::vector<Whole>& wholes, std::vector<bool>& met) {
  bool all_met = true;
  for (std::size_t r = 0; r < wholes.size(); ++r) {
    if (wholes[r].bytes == 0) continue;
    all_met = all_met && met[r];
    met[r] = true;
  }
  return all_met;
}

class NcclTeam : public GpuCarrierTeam {
 public:
  // `activate` makes the member's device that of a thread.
  NcclTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
           std::function<absl::Status()> activate, NcclParts parts,
           NcclComm comm)
      : GpuCarrierTeam(std::move(team), std::move(local)),
        activate_(std::move(activate)),
        nccl_(**parts.nccl),
        stream_(parts.stream),
        is_done_(std::move(parts.is_done)),
        comm_(comm) {}
  ~NcclTeam() override {
    if (state_.ok()) EndComm(nccl_.CommDestroy, comm_, activate_);
  }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    const absl::Status status = GpuCarrierTeam::AllGather(mine, bytes, all);
    if (absl::IsDeadlineExceeded(status)) GiveUp(status);
    return status;
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    RETURN_IF_ERROR(state_);
    absl::Status status = local().Activate();
    status.Update(CopyOwn(parcels, slots));
    RETURN_IF_ERROR(Agree(status));
    status = Guarded([&] { return Send(parcels, slots); });
    if (status.ok()) status = Await();
    // One whose own elements have come waits for no others.
    status = Agree(status);
    if (!status.ok()) GiveUp(status);
    return status;
  }

 private:
  // What a member has for the others.
  struct Letters {
    std::vector<Parcel> parcels;
    std::vector<Slot> slots;
  };

  // What was begun cannot be finished.
  void GiveUp(const absl::Status& status) {
    if (!state_.ok()) return;
    state_ = status;
    // The others' would end the program where it waits for this one.
    EndComm(nccl_.CommAbort, comm_, activate_);
  }

  // NCCL connects two members when the first elements go from one to the other,
  // and once more when the first ones come back.
  absl::Status Send(absl::Span<const Parcel> parcels,
                    absl::Span<const Slot> slots) {
    Letters letters = {{parcels.begin(), parcels.end()},
                       {slots.begin(), slots.end()}};
    const auto self = static_cast<std::size_t>(rank());
    letters.parcels[self] = {};
    letters.slots[self] = {};
    const bool have_sent = HaveMet(letters.parcels, sent_to_);
    const bool have_received = HaveMet(letters.slots, received_from_);
    if (have_sent && have_received) {
      return SendLetters(nccl_, comm_, stream_, letters);
    }
    return WaitWithin(patience_, "a connection of NCCL's",
                      [activate = activate_, &nccl = nccl_, comm = comm_,
                       stream = stream_, letters = std::move(letters)] {
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
      ASSIGN_OR_RETURN(const bool done, is_done_());
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
  const cudaStream_t stream_;
  const std::function<absl::StatusOr<bool>()> is_done_;
  const NcclComm comm_;
  const double patience_ = NcclPatience();
  std::vector<bool> sent_to_ =
      std::vector<bool>(static_cast<std::size_t>(size()));
  std::vector<bool> received_from_ = sent_to_;
  // Not ok once elements have not come: what was begun cannot be finished.
  absl::Status state_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Team>> MakeNcclTeam(
    std::shared_ptr<Team> team, std::shared_ptr<Backend> local) {
  NcclParts parts;
  parts.nccl = LoadNccl();
  parts.stream = static_cast<CudaBackend&>(*local).stream();
  parts.is_done = [gpu = local.get()] { return IsDone(*gpu); };
  return MakeNcclTeam(std::move(team), std::move(local), std::move(parts));
}

absl::StatusOr<std::shared_ptr<Team>> MakeNcclTeam(
    std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
    NcclParts parts) {
  absl::Status status = parts.nccl.status();
  NcclId id = {};
  if (status.ok()) status = local->Activate();
  if (status.ok() && team->rank() == 0) {
    status = NcclStatus(**parts.nccl, (*parts.nccl)->GetUniqueId(&id),
                        "an identifier");
  }
  RETURN_IF_ERROR(team->Agree(status));
  ASSIGN_OR_RETURN(const std::vector<NcclId> ids, team->AllGather(id));
  const NcclLibrary& nccl = **parts.nccl;
  const auto activate = [local] { return local->Activate(); };
  const absl::StatusOr<NcclComm> comm = Guarded([&] {
    return StartNccl(nccl, team->size(), ids[0], team->rank(), activate,
                     NcclPatience());
  });
  status = comm.status();
  if (absl::IsDeadlineExceeded(status)) {
    status = absl::UnavailableError(status.message());
  }
  // What one has and another has not is nobody's.
  status = team->Agree(status);
  if (!status.ok()) {
    if (comm.ok()) EndComm(nccl.CommAbort, *comm, activate);
    return status;
  }
  return std::make_shared<NcclTeam>(std::move(team), std::move(local), activate,
                                    std::move(parts), *comm);
}

}  // namespace concord
