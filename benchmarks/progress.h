// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PROGRESS_H_
#define CONCORD_BENCHMARKS_PROGRESS_H_

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"

namespace concord {

// How far a run is, on standard error where that is a terminal: a line that the
// next one overwrites.
class Progress {
 public:
  explicit Progress(int rows);

  // The row is being measured.
  void Begin(absl::string_view row);
  // It has been, and others may write.
  void End();

 private:
  using Clock = std::chrono::steady_clock;

  const bool on_terminal_;
  const Clock::time_point start_ = Clock::now();
  const int rows_;
  int done_ = 0;
};

// "[12/40] scan/...: about 3 min left", at most `width` characters. Rows that
// are left are taken to last as long as those that are done.
std::string ProgressText(int done, int rows, double seconds,
                         absl::string_view row, std::size_t width);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PROGRESS_H_
