// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/team_backend.h"

#include <chrono>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/backends/mpi/stretch_pool.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

constexpr absl::string_view kUneven = "@uneven";

// From when all members are there until all are done.
class TeamTimer : public Timer {
 public:
  explicit TeamTimer(std::shared_ptr<Team> team) : team_(std::move(team)) {}

  absl::Status Start() override { return Take(start_); }
  absl::Status Stop() override { return Take(stop_); }
  absl::StatusOr<double> Seconds() override {
    return std::chrono::duration<double>(stop_ - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Take(Clock::time_point& time) {
    absl::Status status = team_->Meet();
    time = Clock::now();
    return status;
  }

  const std::shared_ptr<Team> team_;
  Clock::time_point start_;
  Clock::time_point stop_;
};

std::string Described(absl::string_view what, const ConstArrayView& view) {
  return absl::StrCat(what, " of ", view.size(), " ", Name(view.type()));
}

bool Overlap(const ConstArrayView& a, const ConstArrayView& b) {
  return a.data<char>() < b.data<char>() + b.bytes() &&
         b.data<char>() < a.data<char>() + a.bytes();
}

absl::StatusOr<std::vector<std::shared_ptr<Backend>>> WorkersOf(
    const std::shared_ptr<Backend>& local) {
  auto* const tbb = dynamic_cast<TbbBackend*>(local.get());
  std::vector<std::shared_ptr<Backend>> workers;
  for (int w = 0; w < (tbb == nullptr ? 1 : tbb->threads()); ++w) {
    ASSIGN_OR_RETURN(workers.emplace_back(),
                     OpenBackend(tbb == nullptr ? "serial" : "tbb:1"));
  }
  return workers;
}

}  // namespace

TeamBackend::TeamBackend(BackendInfo info, std::shared_ptr<Team> team,
                         Layout layout, std::shared_ptr<Backend> local,
                         std::vector<std::shared_ptr<Backend>> workers)
    : Backend(std::move(info), std::make_shared<StretchPool>(team, layout)),
      team_(std::move(team)),
      local_(std::move(local)),
      workers_(std::move(workers)) {}

absl::StatusOr<std::shared_ptr<TeamBackend>> TeamBackend::Open(
    std::shared_ptr<Team> team, absl::string_view argument, Facts facts) {
  absl::string_view on = argument;
  const bool uneven = absl::ConsumeSuffix(&on, kUneven);
  if (on != "serial" && on != "tbb" && !absl::StartsWith(on, "tbb:")) {
    return InvalidArgumentError(
        "backend 'mpi:", argument,
        "': each rank computes on 'serial', 'tbb' or a number of threads such "
        "as 'tbb:4'");
  }
  absl::StatusOr<std::shared_ptr<Backend>> local = OpenBackend(on);
  RETURN_IF_ERROR(
      team->AgreeOn(absl::StrCat("mpi:", argument), local.status()));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Backend>> workers,
                   WorkersOf(*local));
  facts.insert(facts.begin(), {"ranks", absl::StrCat(team->size())});
  for (const auto& fact : (*local)->info().facts) facts.push_back(fact);
  BackendInfo info = {
      "mpi", absl::StrCat("mpi:", (*local)->info().spec, uneven ? kUneven : ""),
      "", std::move(facts)};
  return std::shared_ptr<TeamBackend>(
      new TeamBackend(std::move(info), std::move(team),
                      uneven ? Layout::kUneven : Layout::kEven,
                      *std::move(local), std::move(workers)));
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

absl::Status TeamBackend::ReadOnce(ConstArrayView data) {
  ASSIGN_OR_RETURN(const Ranges stretches, Stretches(data));
  return local_->ReadOnce(OnHost(data, Mine(stretches)));
}

absl::StatusOr<std::unique_ptr<Timer>> TeamBackend::NewTimer() {
  return std::make_unique<TeamTimer>(team_);
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
  return local_->Copy(from.Slice(mine.first, mine.size()), OnHost(to, mine));
}

absl::Status TeamBackend::CopyToHost(ConstArrayView from, ArrayView to) {
  const absl::StatusOr<Ranges> held = Stretches(from);
  RETURN_IF_ERROR(
      team_->AgreeOn(Described("a copy to the host", from), held.status()));
  const Range mine = Mine(*held);
  const ConstArrayView there = OnHost(from, mine);
  if (SharedRoom::Holds(to.data(), to.bytes())) {
    RETURN_IF_ERROR(local_->Copy(there, to.Slice(mine.first, mine.size())));
    return team_->Meet();
  }
  return Redistribute(*team_, *held, there.data(),
                      AllOf(from.size(), team_->size()), to.data(),
                      SizeOf(from.type()));
}

absl::Status TeamBackend::CopyWithin(ConstArrayView from, ArrayView to) {
  const absl::StatusOr<Ranges> held = Stretches(from);
  const absl::StatusOr<Ranges> wanted = Stretches(to);
  absl::Status status = held.status();
  status.Update(wanted.status());
  Array scratch;
  const bool overlap = Overlap(from, to);
  if (status.ok() && overlap) {
    absl::StatusOr<Array> made =
        local_->Allocate(from.type(), Mine(*wanted).size());
    status = made.status();
    if (made.ok()) scratch = *std::move(made);
  }
  RETURN_IF_ERROR(team_->AgreeOn(Described("a copy", from), status));
  const ArrayView there = OnHost(to, Mine(*wanted));
  const ConstArrayView here = OnHost(from, Mine(*held));
  if (*held == *wanted) return local_->Copy(here, there);
  RETURN_IF_ERROR(Redistribute(*team_, *held, here.data(), *wanted,
                               overlap ? scratch.view().data() : there.data(),
                               SizeOf(from.type())));
  return overlap ? local_->Copy(scratch.view(), there) : absl::OkStatus();
}

}  // namespace concord
