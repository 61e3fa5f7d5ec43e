// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Runs of equal elements that may go on from one member's stretch to the next:
// a run is the member's on which it starts.

#ifndef CONCORD_BACKENDS_MPI_RUNS_OVER_BORDERS_H_
#define CONCORD_BACKENDS_MPI_RUNS_OVER_BORDERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace concord {

// What members tell of the runs in their stretches.
struct EndsOfRuns {
  // How many; 2 may stand for any that are more.
  std::int64_t runs = 0;
  // Elements, as bits; of no meaning without runs.
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  // Elements of the first run.
  std::int64_t first_length = 0;
};

// Which of the runs in its stretch are a member's own.
struct OwnRuns {
  // 1 where the first one started in an earlier stretch, otherwise 0.
  std::int64_t first = 0;
  // Elements of the last one in later stretches.
  std::int64_t more = 0;
};

inline std::vector<OwnRuns> OwnRunsOf(const std::vector<EndsOfRuns>& ends) {
  std::vector<OwnRuns> own(ends.size());
  // Where the run that is last so far started, and the last member so far that
  // has any element.
  std::size_t start = 0;
  const EndsOfRuns* before = nullptr;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (ends[r].runs == 0) continue;
    if (before != nullptr && before->last == ends[r].first) {
      own[r].first = 1;
      own[start].more += ends[r].first_length;
    }
    if (own[r].first < ends[r].runs) start = r;
    before = &ends[r];
  }
  return own;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_RUNS_OVER_BORDERS_H_
