// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/team_backend.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/backends/mpi/stretch_pool.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/host.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

constexpr absl::string_view kUneven = "@uneven";

// Bytes: to write fewer at a time takes longer.
constexpr std::int64_t kStoredAtATime = std::int64_t{16} << 20;

// From when all members are there until all are done.
class TeamTimer : public Timer {
 public:
  TeamTimer(std::shared_ptr<Team> team, std::shared_ptr<Backend> local)
      : team_(std::move(team)), local_(std::move(local)) {}

  absl::Status Start() override { return Take(start_); }
  absl::Status Stop() override { return Take(stop_); }
  absl::StatusOr<double> Seconds() override {
    return std::chrono::duration<double>(stop_ - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Take(Clock::time_point& time) {
    absl::Status status = local_->Synchronize();
    status.Update(team_->Meet());
    time = Clock::now();
    return status;
  }

  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Backend> local_;
  Clock::time_point start_;
  Clock::time_point stop_;
};

std::string Described(absl::string_view what, const ConstArrayView& view) {
  return absl::StrCat(what, " of ", view.size(), " ", Name(view.type()));
}

absl::StatusOr<std::vector<std::shared_ptr<Backend>>> WorkersOf(
    const std::shared_ptr<Backend>& local) {
  auto* const tbb = dynamic_cast<TbbBackend*>(local.get());
  std::vector<std::shared_ptr<Backend>> workers;
  if (tbb == nullptr) workers.push_back(local);
  while (tbb != nullptr && static_cast<int>(workers.size()) < tbb->threads()) {
    ASSIGN_OR_RETURN(workers.emplace_back(), OpenBackend("tbb:1"));
  }
  return workers;
}

// Whether there is room for a copy.
bool Holds(const Array& room, const ConstArrayView& copied) {
  return room.size() > 0 && room.size() >= copied.size() &&
         room.view().type() == copied.type();
}

// Elements in the memory of `local` to where they belong in the room. From a
// GPU they come in pieces.
absl::Status StoreIn(const SharedRoom& room, Backend& local,
                     const ConstArrayView& here, const ArrayView& there) {
  const std::int64_t at_a_time = local.memory().is_host()
                                     ? std::max<std::int64_t>(here.size(), 1)
                                     : kStoredAtATime / SizeOf(here.type());
  Array copy;
  std::int64_t first = 0;
  do {
    const std::int64_t count = std::min(at_a_time, here.size() - first);
    ASSIGN_OR_RETURN(const ConstArrayView piece,
                     ToHost(local, here.Slice(first, count), copy));
    RETURN_IF_ERROR(room.store()(
        there.Slice(first, count).data(),
        {piece.data<char>(), static_cast<std::size_t>(piece.bytes())}));
    first += count;
  } while (first < here.size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConstArrayView> ToHost(Backend& local,
                                      const ConstArrayView& there,
                                      Array& room) {
  if (there.memory().is_host()) return there;
  if (!Holds(room, there)) {
    ASSIGN_OR_RETURN(room, local.AllocateHost(there.type(), there.size()));
  }
  const ArrayView copy = room.view().Slice(0, there.size());
  RETURN_IF_ERROR(local.Copy(there, copy));
  return ConstArrayView(copy);
}

absl::StatusOr<ConstArrayView> ToLocal(Backend& local,
                                       const ConstArrayView& host,
                                       Array& room) {
  if (local.memory().is_host()) return host;
  if (!Holds(room, host)) {
    ASSIGN_OR_RETURN(room, local.Allocate(host.type(), host.size()));
  }
  const ArrayView copy = room.view().Slice(0, host.size());
  RETURN_IF_ERROR(local.Copy(host, copy));
  return ConstArrayView(copy);
}

Requirement RanksOnCpus() {
  return {absl::StrCat("ranks that compute on CPUs; on mpi:cuda there are ",
                       kOnGpusOfRanks),
          [](Backend& backend) {
            const auto& team = static_cast<TeamBackend&>(backend);
            return team.local()->memory().is_host();
          }};
}

TeamBackend::TeamBackend(BackendInfo info, std::shared_ptr<Team> team,
                         TeamParts parts,
                         std::vector<std::shared_ptr<Backend>> workers,
                         std::vector<std::uint64_t> hosts)
    : Backend(std::move(info),
              std::make_shared<StretchPool>(
                  team, parts.layout, parts.local->pool().shared_from_this(),
                  std::move(hosts))),
      team_(std::move(team)),
      carrier_(parts.carrier == nullptr ? team_ : std::move(parts.carrier)),
      local_(std::move(parts.local)),
      workers_(std::move(workers)) {}

absl::StatusOr<std::shared_ptr<TeamBackend>> TeamBackend::Open(
    std::shared_ptr<Team> team, absl::string_view argument, Facts facts) {
  absl::string_view on = argument;
  const bool uneven = absl::ConsumeSuffix(&on, kUneven);
  if (on != "serial" && on != "tbb" && !absl::StartsWith(on, "tbb:")) {
    return InvalidArgumentError(
        "backend 'mpi:", argument,
        "': each rank computes on 'serial', 'tbb', a number of threads such as "
        "'tbb:4', or 'cuda'");
  }
  const std::string spec = absl::StrCat("mpi:", argument);
  absl::StatusOr<std::shared_ptr<Backend>> local = OpenBackend(on);
  if (!local.ok()) {
    local = absl::Status(
        local.status().code(),
        absl::StrCat("backend '", spec, "': ", local.status().message()));
  }
  RETURN_IF_ERROR(team->AgreeOn(spec, local.status()));
  TeamParts parts;
  parts.spec = absl::StrCat((*local)->info().spec, uneven ? kUneven : "");
  parts.local = *std::move(local);
  parts.layout = uneven ? Layout::kUneven : Layout::kEven;
  parts.facts = std::move(facts);
  return Make(std::move(team), std::move(parts));
}

absl::StatusOr<std::shared_ptr<TeamBackend>> TeamBackend::Make(
    std::shared_ptr<Team> team, TeamParts parts) {
  absl::StatusOr<std::vector<std::shared_ptr<Backend>>> workers =
      WorkersOf(parts.local);
  RETURN_IF_ERROR(team->Agree(workers.status()));
  ASSIGN_OR_RETURN(std::vector<std::uint64_t> hosts,
                   team->AllGather(HashOfHost()));
  Facts facts = {{"ranks", absl::StrCat(team->size())}};
  facts.insert(facts.end(), parts.facts.begin(), parts.facts.end());
  for (const auto& fact : parts.local->info().facts) facts.push_back(fact);
  BackendInfo info = {"mpi", absl::StrCat("mpi:", parts.spec), "",
                      std::move(facts)};
  return std::shared_ptr<TeamBackend>(
      new TeamBackend(std::move(info), std::move(team), std::move(parts),
                      *std::move(workers), std::move(hosts)));
}

absl::StatusOr<Ranges> TeamBackend::Stretches(const ConstArrayView& view) {
  return StretchesOf(view, team_->size());
}

void TeamBackend::ForEachWorker(const std::function<void(int)>& f) {
  if (auto* const tbb = dynamic_cast<TbbBackend*>(local_.get())) {
    tbb->ForEach(workers(), [&](std::int64_t w) { f(static_cast<int>(w)); });
  } else {
    f(0);
  }
}

absl::Status TeamBackend::ReadChecked(ConstArrayView data) {
  ASSIGN_OR_RETURN(const Ranges stretches, Stretches(data));
  const ConstArrayView here = Here(data, Mine(stretches));
  return here.empty() ? absl::OkStatus() : local_->ReadOnce(here);
}

absl::StatusOr<std::unique_ptr<Timer>> TeamBackend::MakeTimer() {
  return std::make_unique<TeamTimer>(team_, local_);
}

absl::Status TeamBackend::CopyChecked(ConstArrayView from, ArrayView to) {
  if (!from.memory().is_host()) {
    return to.memory().is_host() ? CopyToHost(from, to) : CopyWithin(from, to);
  }
  return to.memory().is_host() ? local_->Copy(from, to)
                               : CopyFromHost(from, to);
}

absl::Status TeamBackend::CopyFromHost(ConstArrayView from, ArrayView to) {
  ASSIGN_OR_RETURN(const Ranges stretches, Stretches(to));
  const Range mine = Mine(stretches);
  return local_->Copy(from.Slice(mine.first, mine.size()), Here(to, mine));
}

absl::Status TeamBackend::CopyToHost(ConstArrayView from, ArrayView to) {
  const SharedRoom* const room = SharedRoom::Find(to.data(), to.bytes());
  const absl::StatusOr<Ranges> held = Stretches(from);
  absl::Status status = held.status();
  if (status.ok()) {
    const Range mine = Mine(*held);
    const ConstArrayView here = Here(from, mine);
    const ArrayView there = to.Slice(mine.first, mine.size());
    status = room != nullptr && room->store() != nullptr
                 ? StoreIn(*room, *local_, here, there)
                 : local_->Copy(here, there);
  }
  RETURN_IF_ERROR(
      team_->AgreeOn(Described("a copy to the host", from), status));
  if (room != nullptr) return absl::OkStatus();
  // From everybody's part of the host's array to everybody's whole one.
  const auto part = [&](const Range& range) {
    return to.Slice(range.first, range.size());
  };
  const auto self = static_cast<std::size_t>(team_->rank());
  std::vector<Parcel> parcels(held->size());
  std::vector<Slot> slots(held->size());
  for (std::size_t r = 0; r < held->size(); ++r) {
    if (r == self) continue;
    const ArrayView mine = part((*held)[self]);
    const ArrayView theirs = part((*held)[r]);
    parcels[r] = {mine.data(), mine.bytes()};
    slots[r] = {theirs.data(), theirs.bytes()};
  }
  return team_->Exchange(parcels, slots);
}

absl::Status TeamBackend::CopyWithin(ConstArrayView from, ArrayView to) {
  const absl::StatusOr<Ranges> held = Stretches(from);
  const absl::StatusOr<Ranges> wanted = Stretches(to);
  absl::Status status = held.status();
  status.Update(wanted.status());
  // What stays with each rank, its backend copies also where it overlaps.
  const bool stays = status.ok() && *held == *wanted;
  const bool by_the_side = !stays && Overlap(from, to);
  Array scratch;
  if (status.ok() && by_the_side) {
    absl::StatusOr<Array> made =
        local_->Allocate(from.type(), Mine(*wanted).size());
    status = made.status();
    if (made.ok()) scratch = *std::move(made);
  }
  RETURN_IF_ERROR(team_->AgreeOn(Described("a copy", from), status));
  const ArrayView there = Here(to, Mine(*wanted));
  const ConstArrayView here = Here(from, Mine(*held));
  if (stays) return local_->Copy(here, there);
  RETURN_IF_ERROR(Redistribute(*carrier_, *held, here.data(), *wanted,
                               (by_the_side ? scratch.view() : there).data(),
                               SizeOf(from.type())));
  return by_the_side ? local_->Copy(scratch.view(), there) : absl::OkStatus();
}

}  // namespace concord
