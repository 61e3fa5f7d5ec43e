// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_MOVED_INPUT_H_
#define CONCORD_BACKENDS_MPI_MOVED_INPUT_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/backends/mpi/team_backend.h"

namespace concord {

// An input, each member having the range of it that it wants: mostly the very
// stretch that it has of the output. Only arrays that are cut elsewhere, such
// as slices of others or elements of another size, are moved, to scratch
// memory.
class MovedInput {
 public:
  // Before members agree on a call: what can fail on one of them alone.
  absl::Status Prepare(TeamBackend& backend, ConstArrayView in, Ranges wanted) {
    absl::StatusOr<Ranges> held = backend.Stretches(in);
    if (!held.ok()) return held.status();
    in_ = in;
    held_ = *std::move(held);
    wanted_ = std::move(wanted);
    moves_ = held_ != wanted_;
    absl::StatusOr<Array> moved = backend.local()->Allocate(
        in.type(), moves_ ? backend.Mine(wanted_).size() : 0);
    if (!moved.ok()) return moved.status();
    moved_ = *std::move(moved);
    return absl::OkStatus();
  }

  // Afterwards, by all members together: what this one wants, in the
  // memory of local().
  absl::StatusOr<ConstArrayView> Fetch(TeamBackend& backend) {
    const ConstArrayView mine = backend.Here(in_, backend.Mine(held_));
    if (!moves_) return mine;
    absl::Status status =
        Redistribute(backend.carrier(), held_, mine.data(), wanted_,
                     moved_.view().data(), SizeOf(in_.type()));
    if (!status.ok()) return status;
    return ConstArrayView(moved_.view());
  }

 private:
  ConstArrayView in_;
  Ranges held_;
  Ranges wanted_;
  bool moves_ = false;
  Array moved_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_MOVED_INPUT_H_
