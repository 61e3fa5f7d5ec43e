// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/spread_results.h"

#include "concord/core/errors.h"

namespace concord {

Ranges InOrder(const std::vector<std::int64_t>& sizes) {
  Ranges ranges;
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    ranges.push_back({first, first + size});
    first += size;
  }
  return ranges;
}

absl::Status Give(TeamBackend& backend, const ConstArrayView& from,
                  const Ranges& held, const ArrayView& to) {
  ASSIGN_OR_RETURN(const Ranges there, backend.Stretches(to));
  Ranges wanted;
  for (const Range& stretch : there) {
    wanted.push_back(Intersection(stretch, {0, held.back().last}));
  }
  return Redistribute(backend.team(), held, from.data(), wanted,
                      OnHost(to, backend.Mine(there)).data(),
                      SizeOf(to.type()));
}

absl::Status Tell(TeamBackend& backend, std::int64_t count,
                  const ArrayView& to) {
  ASSIGN_OR_RETURN(const Ranges there, backend.Stretches(to));
  if (!backend.Mine(there).empty()) *to.data<std::int64_t>() = count;
  return absl::OkStatus();
}

}  // namespace concord
