// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_team.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/backends/mpi/gpu_carriers.h"
#include "concord/backends/mpi/gpu_link.h"
#include "concord/backends/mpi/gpu_ways.h"
#include "concord/backends/mpi/nccl_library.h"
#include "concord/backends/mpi/nccl_team.h"
#include "concord/core/errors.h"
#include "concord/core/host.h"

namespace concord {
namespace {

constexpr absl::string_view kUneven = "uneven";

struct GpuArgument {
  std::optional<GpuWay> way;
  Layout layout = Layout::kEven;
};

absl::StatusOr<GpuArgument> Parsed(absl::string_view argument) {
  GpuArgument parsed;
  std::vector<absl::string_view> words = absl::StrSplit(argument, '@');
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::optional<GpuWay> way = FindGpuWay(words[i]);
    if (way.has_value() && !parsed.way.has_value()) {
      parsed.way = way;
    } else if (words[i] == kUneven && parsed.layout == Layout::kEven) {
      parsed.layout = Layout::kUneven;
    } else {
      return InvalidArgumentError(
          "backend 'mpi:", argument,
          "': after 'cuda' there may be one of '@ipc', '@nccl' and '@staged', "
          "the way of elements between GPUs");
    }
  }
  return parsed;
}

// Complete: as the argument, in one order of its words.
std::string SpecOf(const GpuArgument& argument) {
  std::string spec = "cuda";
  if (argument.way.has_value())
    absl::StrAppend(&spec, "@", Name(*argument.way));
  if (argument.layout == Layout::kUneven) absl::StrAppend(&spec, "@", kUneven);
  return spec;
}

// The members of a host take turns at its GPUs.
absl::StatusOr<std::shared_ptr<Backend>> OpenGpu(Team& team) {
  ASSIGN_OR_RETURN(const std::vector<std::uint64_t> hosts,
                   team.AllGather(HashOfHost()));
  const auto self = hosts.begin() + team.rank();
  const auto before =
      static_cast<std::size_t>(std::count(hosts.begin(), self, *self));
  const std::vector<Device> devices = ProbeGpus().devices;
  if (devices.empty()) return OpenBackend("cuda");
  return OpenBackend(devices[before % devices.size()].spec);
}

absl::StatusOr<GpuOffer> OfferOf(Backend& local) {
  GpuOffer offer = {};
  ASSIGN_OR_RETURN(const GpuUuid uuid, UuidOf(local));
  std::copy(uuid.begin(), uuid.end(), offer.gpu);
  offer.host = HashOfHost();
  const absl::StatusOr<const NcclLibrary*> nccl = LoadNccl();
  if (nccl.ok()) return offer;
  const absl::string_view reason = nccl.status().message();
  std::memcpy(offer.no_nccl, reason.data(),
              std::min(reason.size(), sizeof(offer.no_nccl) - 1));
  return offer;
}

absl::StatusOr<std::shared_ptr<Team>> MakeIpcTeam(
    const std::shared_ptr<Team>& team, const std::shared_ptr<Backend>& local) {
  const std::int64_t piece = UsualPiece(team->size());
  absl::StatusOr<GpuWindow> mine = MakeWindow(*local, piece * team->size());
  RETURN_IF_ERROR(team->Agree(mine.status()));
  ASSIGN_OR_RETURN(const std::vector<GpuHandle> handles,
                   team->AllGather(mine->handle));
  Windows windows = {piece, {}};
  for (int r = 0; r < team->size(); ++r) {
    if (r == team->rank()) {
      windows.of_members.push_back(mine->data);
      continue;
    }
    ASSIGN_OR_RETURN(windows.of_members.emplace_back(),
                     OpenWindow(*local, handles[static_cast<std::size_t>(r)]));
  }
  return MakeWindowTeam(team, local, std::move(windows));
}

absl::StatusOr<std::shared_ptr<Team>> MakeCarrier(
    GpuWay way, const std::shared_ptr<Team>& team,
    const std::shared_ptr<Backend>& local) {
  switch (way) {
    case GpuWay::kIpc:
      return MakeIpcTeam(team, local);
    case GpuWay::kNccl:
      return MakeNcclTeam(team, local);
    case GpuWay::kStaged:
      return MakeStagedTeam(team, local, UsualPiece(team->size()));
  }
  return InternalError("no such way");
}

}  // namespace

bool AsksForGpus(absl::string_view argument) {
  return argument == "cuda" || absl::StartsWith(argument, "cuda@");
}

absl::StatusOr<TeamParts> OpenOnGpus(const std::shared_ptr<Team>& team,
                                     absl::string_view argument) {
  const absl::StatusOr<GpuArgument> parsed = Parsed(argument);
  RETURN_IF_ERROR(
      team->AgreeOn(absl::StrCat("mpi:", argument), parsed.status()));
  absl::StatusOr<std::shared_ptr<Backend>> local = OpenGpu(*team);
  absl::StatusOr<GpuOffer> offer = GpuOffer{};
  if (local.ok()) offer = OfferOf(**local);
  absl::Status status = local.status();
  status.Update(offer.status());
  RETURN_IF_ERROR(team->Agree(status));
  ASSIGN_OR_RETURN(const std::vector<GpuOffer> offers, team->AllGather(*offer));
  const absl::StatusOr<GpuPlan> plan = PlanWays(offers, parsed->way);
  absl::StatusOr<GpuCarrier> carrier = GpuCarrier{};
  if (plan.ok()) {
    carrier = FirstThatWorks(*team, *plan, [&](GpuWay way) {
      return MakeCarrier(way, team, *local);
    });
  } else {
    carrier = plan.status();
  }
  if (!carrier.ok()) {
    return absl::Status(
        carrier.status().code(),
        absl::StrCat("backend 'mpi:", argument,
                     "': elements cannot travel between GPUs by ",
                     carrier.status().message()));
  }
  TeamParts parts;
  parts.spec = SpecOf(*parsed);
  parts.local = *std::move(local);
  parts.layout = parsed->layout;
  parts.carrier = std::move(carrier->team);
  parts.facts = {{"device_data", carrier->way}};
  return parts;
}

}  // namespace concord
