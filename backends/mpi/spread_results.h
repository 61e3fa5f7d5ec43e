// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Results of which each member has found some, on their way to the members
// that have that part of the output.

#ifndef CONCORD_BACKENDS_MPI_SPREAD_RESULTS_H_
#define CONCORD_BACKENDS_MPI_SPREAD_RESULTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "concord/backends/mpi/team_backend.h"

namespace concord {

// Ranges of so many elements each that follow each other.
Ranges InOrder(const std::vector<std::int64_t>& sizes);

// What members have, held[r] of it at `from`, to where it belongs in `to`:
// nothing else of it is written. Together they have some elements that follow
// each other, in any order of members. Called by all members together.
absl::Status Give(TeamBackend& backend, const ConstArrayView& from,
                  const Ranges& held, const ArrayView& to);

// An output of one element: whoever has it writes it.
absl::Status Tell(TeamBackend& backend, std::int64_t count,
                  const ArrayView& to);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_SPREAD_RESULTS_H_
