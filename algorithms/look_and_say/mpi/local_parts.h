// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_LOCAL_PARTS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_LOCAL_PARTS_H_

#include <memory>

#include "absl/status/status.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/array.h"

namespace concord::look_and_say {

// Each rank has the whole input, and the implementation for one GPU writes the
// rank's stretch of the result: any part of it can be asked for.
class LocalParts {
 public:
  // Before ranks agree on a call: what can fail on one of them alone.
  absl::Status Prepare(TeamBackend& backend, ConstArrayView in, ArrayView out,
                       const LookAndSay::Options& options);

  // Afterwards, by all ranks together.
  absl::Status Write(TeamBackend& backend, ArrayView out,
                     const LookAndSay::Options& options);

 private:
  absl::Status WriteOwn(TeamBackend& backend, ConstArrayView in, ArrayView out,
                        const LookAndSay::Options& options);

  // Of the current call.
  MovedInput input_;
  Ranges outputs_;
  Array length_;  // where the rank computes
  Array length_on_host_;
  // From call to call.
  std::unique_ptr<LookAndSay> local_;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_MPI_LOCAL_PARTS_H_
