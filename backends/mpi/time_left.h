// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_TIME_LEFT_H_
#define CONCORD_BACKENDS_MPI_TIME_LEFT_H_

#include <algorithm>
#include <chrono>

#include "concord/backends/patience.h"

namespace concord {

// How long a process goes on waiting for others, by a clock at which it looks
// from time to time. A look that comes much later than the one before finds
// that the process itself stood still. That counts little: it says nothing
// about the others, which may have stood still with it.
class TimeLeft {
 public:
  using Clock = std::chrono::steady_clock;

  // Who looks more rarely waits for longer.
  static constexpr std::chrono::milliseconds kBetweenLooks{250};

  explicit TimeLeft(double seconds, Clock::time_point now = Clock::now())
      : left_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(seconds, kMostSeconds)))),
        looked_(now) {}

  // A look at the clock. What is left then, in the end nothing or less.
  Clock::duration Look(Clock::time_point now = Clock::now()) {
    left_ -= std::min<Clock::duration>(now - looked_, 2 * kBetweenLooks);
    looked_ = now;
    return left_;
  }
  bool IsOver() { return Look() <= Clock::duration::zero(); }

 private:
  Clock::duration left_;
  Clock::time_point looked_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_TIME_LEFT_H_
