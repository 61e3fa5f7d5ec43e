// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The ranks that mpirun started, as one backend and as replicas.

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/backends/mpi/cpu_share.h"
#include "concord/backends/mpi/gpu_link.h"
#include "concord/backends/mpi/gpu_team.h"
#include "concord/backends/mpi/mpi_team.h"
#include "concord/backends/mpi/stretch_pool.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/patience.h"
#include "concord/backends/tbb/available_cpus.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

constexpr char kNotStarted[] =
    "this program was not started by mpirun, as in 'mpirun -n 4 concord ...'";

// This rank's part of the CPUs that it may use, as far as it can tell without
// the others: as if all ranks of its host might use the same.
int LeastThreads() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  int ranks = 1;
  if (text != nullptr) (void)absl::SimpleAtoi(text, &ranks);
  return std::max(1, AvailableCpus() / std::max(1, ranks));
}

// "" and "tbb" stand for so many threads, "tbb@uneven" likewise.
std::string Completed(absl::string_view argument, int threads) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(argument, absl::MaxSplits('@', 1));
  if (parts.first != "" && parts.first != "tbb") return std::string(argument);
  return absl::StrCat("tbb:", threads, parts.second.empty() ? "" : "@",
                      parts.second);
}

BackendStatus Probe() {
  BackendStatus status;
  status.name = "mpi";
  const std::optional<MpiRank> rank = FindMpiRank();
  if (!rank.has_value()) {
    status.stage = BackendStage::kNoDevice;
    status.reason = kNotStarted;
    return status;
  }
  const absl::StatusOr<std::string> library = LoadedMpi();
  if (!library.ok()) {
    status.stage = BackendStage::kLibraryMissing;
    status.reason = std::string(library.status().message());
    return status;
  }
  status.devices = {{absl::StrCat("mpi:", Completed("", LeastThreads())),
                     {{"ranks", absl::StrCat(rank->count)}}}};
  status.variations = {"mpi:serial", "mpi:tbb:2@uneven"};
  // A context takes time and memory of the GPU, and ranks on CPUs need none.
  // Whether our code runs there is found out by those that are opened on GPUs.
  if (HasGpu()) {
    status.devices.push_back({"mpi:cuda", status.devices[0].facts});
  }
  return status;
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view argument) {
  // The probe has found mpirun.
  ASSIGN_OR_RETURN(const std::string library, LoadedMpi());
  ASSIGN_OR_RETURN(std::shared_ptr<Team> team, OpenMpiTeam());
  RETURN_IF_ERROR(
      team->AgreeOn(absl::StrCat("mpi:", argument), CheckPatience()));
  if (AsksForGpus(argument)) {
    ASSIGN_OR_RETURN(TeamParts parts, OpenOnGpus(team, argument));
    parts.facts.push_back({"mpi", library});
    ASSIGN_OR_RETURN(std::shared_ptr<TeamBackend> on_gpus,
                     TeamBackend::Make(std::move(team), std::move(parts)));
    return on_gpus;
  }
  // The same on all ranks, whatever their hosts are.
  ASSIGN_OR_RETURN(const std::vector<CpusOfRank> cpus,
                   team->AllGather(CpusHere()));
  const int threads = LeastShareOfCpus(cpus);
  ASSIGN_OR_RETURN(
      std::shared_ptr<TeamBackend> backend,
      TeamBackend::Open(std::move(team), Completed(argument, threads),
                        {{"mpi", library}}));
  return backend;
}

const bool kRegistered =
    RegisterBackend({"mpi", /*rank=*/-5, Probe, Open, BuiltForMpi()});

// The ranks, known from the start; MPI itself starts when they first have to
// talk.
class MpiReplicas : public Replicas {
 public:
  explicit MpiReplicas(MpiRank rank) : rank_(rank) {}

  int count() const override { return rank_.count; }
  int index() const override { return rank_.index; }

  absl::StatusOr<std::string> FromFirst(const std::string& mine) override {
    ASSIGN_OR_RETURN(std::vector<std::string> all,
                     FromAll(rank_.index == 0 ? mine : std::string()));
    return std::move(all[0]);
  }

  absl::StatusOr<std::vector<std::string>> FromAll(
      const std::string& mine) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Team> team, OpenMpiTeam());
    ASSIGN_OR_RETURN(
        const std::vector<std::int64_t> sizes,
        team->AgreeOnSizes("an exchange of words",
                           static_cast<std::int64_t>(mine.size())));
    const std::vector<Parcel> parcels(
        sizes.size(),
        Parcel{mine.data(), static_cast<std::int64_t>(mine.size())});
    std::vector<std::string> all;
    std::vector<Slot> slots;
    RETURN_IF_ERROR(team->Agree(Guarded([&]() -> absl::Status {
      all.resize(sizes.size());
      for (std::size_t r = 0; r < sizes.size(); ++r) {
        all[r].resize(static_cast<std::size_t>(sizes[r]));
        slots.push_back({all[r].data(), sizes[r]});
      }
      return absl::OkStatus();
    })));
    RETURN_IF_ERROR(team->Exchange(parcels, slots));
    return all;
  }

  std::vector<int> WhoEndsWith(const std::string& mine,
                               int exit_status) override {
    absl::StatusOr<std::vector<int>> ranks =
        RanksThatEndWith(mine, exit_status);
    return ranks.ok() ? *std::move(ranks) : std::vector<int>{rank_.index};
  }

  bool IsSharedOut(Memory memory) const override {
    return StretchPool::Owns(memory);
  }

  std::pair<std::int64_t, std::int64_t> ElementsHere(
      const ConstArrayView& array) const override {
    const absl::StatusOr<Ranges> stretches = StretchesOf(array, rank_.count);
    if (!stretches.ok()) return {0, 0};
    const Range mine = (*stretches)[static_cast<std::size_t>(rank_.index)];
    return {mine.first, mine.last};
  }

  absl::Status Agree(const absl::Status& mine) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Team> team, OpenMpiTeam());
    return team->Agree(mine);
  }

 private:
  const MpiRank rank_;
};

Replicas* FindReplicas() {
  const std::optional<MpiRank> rank = FindMpiRank();
  if (!rank.has_value() || rank->count < 2) return nullptr;
  return new MpiReplicas(*rank);
}

const bool kReplicasRegistered = RegisterReplicas(FindReplicas());

}  // namespace
}  // namespace concord
