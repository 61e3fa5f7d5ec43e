// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_POSITIONS_H_
#define CONCORD_BACKENDS_MPI_POSITIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/core/backend.h"

namespace concord {

// Makes positions in a member's stretch positions in the whole array, which
// begins `by` elements before: adds that to each. They are int64 or uint32, in
// the memory of `local`.
absl::Status ShiftPositions(Backend& local, ArrayView positions,
                            std::int64_t by);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_POSITIONS_H_
