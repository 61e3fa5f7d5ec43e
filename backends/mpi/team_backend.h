// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_TEAM_BACKEND_H_
#define CONCORD_BACKENDS_MPI_TEAM_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "concord/backends/mpi/stretch_pool.h"
#include "concord/backends/mpi/stretches.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"

namespace concord {

// What a team's backend is put together from.
struct TeamParts {
  // What follows "mpi:", complete: "tbb:2@uneven".
  std::string spec;
  // What this member computes on; its memory has the member's stretches.
  std::shared_ptr<Backend> local;
  Layout layout = Layout::kEven;
  // The same members for what lies in that memory; null where it is the host's.
  std::shared_ptr<Team> carrier;
  Facts facts;
};

// All members of a team as one backend. Each runs the same program: it opens
// the backend, allocates arrays, copies and calls implementations as the others
// do, and has a stretch of every array. A copy to the host gives every member
// the whole array; a copy from the host takes of it what the member has.
//
// A member computes on a backend of its own, with one thread, with several, or
// on a GPU.
class TeamBackend : public Backend {
 public:
  // `argument` names what each member computes on: "serial", "tbb:2"; with
  // "@uneven" after it, arrays are cut into stretches of odd lengths, for
  // tests. `facts` are further ones for info(). Called by all members together.
  static absl::StatusOr<std::shared_ptr<TeamBackend>> Open(
      std::shared_ptr<Team> team, absl::string_view argument, Facts facts = {});

  // On anything. Members have agreed that all have their parts. Called by all
  // of them together, too.
  static absl::StatusOr<std::shared_ptr<TeamBackend>> Make(
      std::shared_ptr<Team> team, TeamParts parts);

  // What members tell each other lies in host memory. Elements of arrays, and
  // of scratch memory of local(), go by carrier(), whose Exchange takes
  // addresses in the memory of local().
  Team& team() { return *team_; }
  Team& carrier() { return *carrier_; }

  // The elements that each member has, and this one's alone.
  absl::StatusOr<Ranges> Stretches(const ConstArrayView& view);
  Range Mine(const Ranges& stretches) const {
    return stretches[static_cast<std::size_t>(team_->rank())];
  }

  // The elements `range` of an array of the team's, which this member has, as
  // an array of local().
  template <typename Void>
  BasicArrayView<Void> Here(const BasicArrayView<Void>& view,
                            Range range) const {
    if (range.empty()) return {nullptr, view.type(), 0, local_->memory()};
    const BasicArrayView<Void> part = view.Slice(range.first, range.size());
    return {AddressHere(part.data()), part.type(), part.size(),
            local_->memory()};
  }

  // What this member computes on, with all of its threads.
  const std::shared_ptr<Backend>& local() const { return local_; }

  // The same as so many backends of one thread.
  int workers() const { return static_cast<int>(workers_.size()); }
  const std::shared_ptr<Backend>& worker(int w) const {
    return workers_[static_cast<std::size_t>(w)];
  }
  // Calls f(w) for each worker, at the same time where there are threads.
  void ForEachWorker(const std::function<void(int)>& f);

  absl::Status Activate() override { return local_->Activate(); }
  absl::Status Synchronize() override { return local_->Synchronize(); }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override;
  absl::Status ReadChecked(ConstArrayView data) override;
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override;

 private:
  TeamBackend(BackendInfo info, std::shared_ptr<Team> team, TeamParts parts,
              std::vector<std::shared_ptr<Backend>> workers,
              std::vector<std::uint64_t> hosts);

  absl::Status CopyFromHost(ConstArrayView from, ArrayView to);
  absl::Status CopyToHost(ConstArrayView from, ArrayView to);
  absl::Status CopyWithin(ConstArrayView from, ArrayView to);

  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Team> carrier_;
  const std::shared_ptr<Backend> local_;
  const std::vector<std::shared_ptr<Backend>> workers_;
};

// TeamBackend::Here where it is known to be host memory.
template <typename Void>
BasicArrayView<Void> OnHost(const BasicArrayView<Void>& view, Range range) {
  const BasicArrayView<Void> part = view.Slice(range.first, range.size());
  return {part.data(), view.type(), range.size(), Memory::Host()};
}

// The value of a single element in the memory of `local`.
template <typename T>
absl::StatusOr<T> ValueOf(Backend& local, const ConstArrayView& element) {
  T value;
  absl::Status status =
      local.Copy(element, ArrayView(&value, 1, Memory::Host()));
  if (!status.ok()) return status;
  return value;
}

// `there`, in the memory of `local`, for code of the host: itself, or a copy in
// `room` where the host does not reach it. Room that is large enough is kept:
// getting page-locked memory takes as long as many a call.
absl::StatusOr<ConstArrayView> ToHost(Backend& local,
                                      const ConstArrayView& there, Array& room);

// `host`, in host memory, for implementations on `local`: itself, or a copy.
absl::StatusOr<ConstArrayView> ToLocal(Backend& local,
                                       const ConstArrayView& host, Array& room);

// The algorithms whose implementations compute on GPUs, too.
inline constexpr char kOnGpusOfRanks[] =
    "compact, look_and_say, radix_sort, reduce, run_length_encode, scan, "
    "tensor_sketch, transform";

// What all other implementations for a team ask for.
Requirement RanksOnCpus();

// What implementations of an algorithm's interface for a team start from.
template <typename Interface>
class OnTeam : public Interface {
 protected:
  TeamBackend& backend() const {
    return static_cast<TeamBackend&>(Interface::backend());
  }
};

// An implementation of an algorithm for each worker of a member, made when it
// is first asked for.
template <typename Interface>
class OfWorkers {
 public:
  absl::Status Make(TeamBackend& backend, absl::string_view variant = "") {
    while (static_cast<int>(made_.size()) < backend.workers()) {
      absl::StatusOr<std::unique_ptr<Interface>> made =
          Registry<Interface>::Get().Create(
              backend.worker(static_cast<int>(made_.size())), variant);
      if (!made.ok()) return made.status();
      made_.push_back(*std::move(made));
    }
    return absl::OkStatus();
  }
  Interface& operator[](int w) { return *made_[static_cast<std::size_t>(w)]; }

 private:
  std::vector<std::unique_ptr<Interface>> made_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_TEAM_BACKEND_H_
