// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_team.h"

#include <sched.h>

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
  NcclTeam(std::shared_ptr<Team> team, std::shared_ptr<Backend> local,
           const NcclLibrary& nccl, NcclComm comm)
      : GpuCarrierTeam(std::move(team), std::move(local)),
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
  absl::Status Send(absl::Span<const Parcel> parcels,
                    absl::Span<const Slot> slots) {
    const cudaStream_t stream = static_cast<CudaBackend&>(local()).stream();
    NcclResult result = nccl_.GroupStart();
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      const Parcel& parcel = parcels[static_cast<std::size_t>(r)];
      const Slot& slot = slots[static_cast<std::size_t>(r)];
      if (result == 0 && parcel.bytes > 0) {
        result = nccl_.Send(parcel.data, static_cast<std::size_t>(parcel.bytes),
                            kNcclBytes, r, comm_, stream);
      }
      if (result == 0 && slot.bytes > 0) {
        result = nccl_.Recv(slot.data, static_cast<std::size_t>(slot.bytes),
                            kNcclBytes, r, comm_, stream);
      }
    }
    const NcclResult end = nccl_.GroupEnd();
    return NcclStatus(nccl_, result != 0 ? result : end, "sending");
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
        return absl::DeadlineExceededError(absl::StrCat(
            "rank ", rank(), " of ", size(), " has waited ", patience_,
            " seconds for elements of another one (CONCORD_PATIENCE)"));
      }
      sched_yield();
    }
  }

  const NcclLibrary& nccl_;
  const NcclComm comm_;
  const double patience_ = TeamPatience();
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
  absl::StatusOr<NcclComm> comm = StartNccl(
      nccl, team->size(), ids[0], team->rank(),
      [local] { return local->Activate(); }, kShareOfPatience * TeamPatience());
  if (absl::IsDeadlineExceeded(comm.status())) {
    return absl::UnavailableError(comm.status().message());
  }
  RETURN_IF_ERROR(comm.status());
  return std::make_shared<NcclTeam>(std::move(team), std::move(local), nccl,
                                    *comm);
}

}  // namespace concord
