// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_TEAM_BACKEND_H_
#define CONCORD_BACKENDS_MPI_TEAM_BACKEND_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "concord/backends/mpi/stretches.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"

namespace concord {

// All members of a team as one backend. Each runs the same program: it opens
// the backend, allocates arrays, copies and calls implementations as the others
// do, and has a stretch of every array. A copy to the host gives every member
// the whole array; a copy from the host takes of it what the member has.
//
// A member computes on a backend of its own, with one thread or several.
class TeamBackend : public Backend {
 public:
  // `argument` names what each member computes on: "serial", "tbb:2"; with
  // "@uneven" after it, arrays are cut into stretches of odd lengths, for
  // tests. `facts` are further ones for info(). Called by all members together.
  static absl::StatusOr<std::shared_ptr<TeamBackend>> Open(
      std::shared_ptr<Team> team, absl::string_view argument, Facts facts = {});

  Team& team() { return *team_; }

  // The elements that each member has, and this one's alone.
  absl::StatusOr<Ranges> Stretches(const ConstArrayView& view);
  Range Mine(const Ranges& stretches) const {
    return stretches[static_cast<std::size_t>(team_->rank())];
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

  absl::Status ReadOnce(ConstArrayView data) override;
  absl::Status Synchronize() override { return absl::OkStatus(); }
  absl::StatusOr<std::unique_ptr<Timer>> NewTimer() override;

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override;

 private:
  TeamBackend(BackendInfo info, std::shared_ptr<Team> team, Layout layout,
              std::shared_ptr<Backend> local,
              std::vector<std::shared_ptr<Backend>> workers);

  absl::Status CopyFromHost(ConstArrayView from, ArrayView to);
  absl::Status CopyToHost(ConstArrayView from, ArrayView to);
  absl::Status CopyWithin(ConstArrayView from, ArrayView to);

  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Backend> local_;
  const std::vector<std::shared_ptr<Backend>> workers_;
};

// The elements `range` of an array of the team's, which this member has, as an
// array in host memory.
template <typename Void>
BasicArrayView<Void> OnHost(const BasicArrayView<Void>& view, Range range) {
  const BasicArrayView<Void> part = view.Slice(range.first, range.size());
  return {part.data(), view.type(), range.size(), Memory::Host()};
}

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
