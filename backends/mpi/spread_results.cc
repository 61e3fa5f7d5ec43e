// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/spread_results.h"

#include <algorithm>

#include "concord/core/errors.h"

namespace concord {
namespace {

// From the first to the last element of them all.
Range HullOf(const Ranges& ranges) {
  Range hull;
  for (const Range& range : ranges) {
    if (range.empty()) continue;
    hull = hull.empty() ? range
                        : Range{std::min(hull.first, range.first),
                                std::max(hull.last, range.last)};
  }
  return hull;
}

}  // namespace

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
  ASSIGN_OR_RETURN(Ranges wanted, backend.Stretches(to));
  const Range all = HullOf(held);
  for (Range& stretch : wanted) stretch = Intersection(stretch, all);
  const Range mine = backend.Mine(wanted);
  return Redistribute(backend.carrier(), held, from.data(), wanted,
                      backend.Here(to, mine).data(), SizeOf(to.type()));
}

absl::Status Tell(TeamBackend& backend, std::int64_t count,
                  const ArrayView& to) {
  ASSIGN_OR_RETURN(const Ranges there, backend.Stretches(to));
  return backend.Mine(there).empty()
             ? absl::OkStatus()
             : backend.local()->Copy(ConstArrayView(&count, 1, Memory::Host()),
                                     backend.Here(to, {0, 1}));
}

}  // namespace concord
