// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_STRETCHES_H_
#define CONCORD_BACKENDS_MPI_STRETCHES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/backends/mpi/team.h"
#include "concord/core/array.h"

namespace concord {

// The elements [first, last) of an array; empty where first is not below last.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t size() const { return std::max<std::int64_t>(last - first, 0); }
  bool empty() const { return first >= last; }

  friend bool operator==(Range a, Range b) {
    return a.first == b.first && a.last == b.last;
  }
  friend bool operator!=(Range a, Range b) { return !(a == b); }
};

inline Range Intersection(Range a, Range b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

// Part k of `count` that are as nearly equal as can be, such as a worker's.
inline Range ShareOf(Range range, std::int64_t k, std::int64_t count) {
  const auto begin = [&](std::int64_t i) {
    return range.first + range.size() * i / count;
  };
  return {begin(k), begin(k + 1)};
}

// One range for each member, by rank. As the stretches of an array they follow
// each other and make it up; some may be empty.
using Ranges = std::vector<Range>;

// How the bytes of an array are cut into stretches. Results never depend on it.
enum class Layout {
  kEven,    // as nearly equal as alignment allows
  kUneven,  // of any lengths, some empty, by the size alone: for tests
};

// The stretches of an array of so many bytes. Each begins at a multiple of 8
// bytes, so that elements stay whole, and those of large arrays at a page.
Ranges CutBytes(std::int64_t bytes, int members, Layout layout);

// What each member has to have all of.
Ranges AllOf(std::int64_t size, int members);

// Sends elements of `width` bytes to where they are wanted. Before, member r
// has the elements held[r], at `from`; afterwards those of wanted[r] lie at
// `to`, which does not overlap `from`. All that is wanted is held by somebody,
// and by nobody else.
absl::Status Redistribute(Team& team, const Ranges& held, const void* from,
                          const Ranges& wanted, void* to, std::int64_t width);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_STRETCHES_H_
