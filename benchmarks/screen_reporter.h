// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_SCREEN_REPORTER_H_
#define CONCORD_BENCHMARKS_SCREEN_REPORTER_H_

#include <benchmark/benchmark.h>

#include <vector>

#include "concord/core/replicas.h"
#include "concord/core/terminal.h"

namespace concord {

// Why a row was not measured. Google Benchmark renamed it in 1.8.
template <typename Run>
auto ReasonOf(const Run& run, int) -> decltype((run.skip_message)) {
  return run.skip_message;
}
template <typename Run>
auto ReasonOf(const Run& run, long) -> decltype((run.error_message)) {
  return run.error_message;
}

// In place of a reason: the row was not measured, and is not shown.
inline constexpr char kNoRow[] = "no row";

// The table for people.
class ScreenReporter : public benchmark::ConsoleReporter {
 public:
  ScreenReporter()
      : ConsoleReporter(OutputHasColours() ? OO_ColorTabular : OO_Tabular) {}

  // Once, however often all rows are gone through, and by the first of several
  // replicas.
  bool ReportContext(const Context& context) override {
    if (has_context_ || !IsFirstReplica()) return true;
    has_context_ = true;
    return ConsoleReporter::ReportContext(context);
  }

  // Google Benchmark appends "/manual_time" to the names of rows. All of ours
  // have it: it says nothing.
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shorter;
    for (const Run& run : runs) {
      if (ReasonOf(run, 0) == kNoRow) continue;
      shorter.push_back(run);
      shorter.back().run_name.time_type.clear();
    }
    if (!shorter.empty()) ConsoleReporter::ReportRuns(shorter);
  }

 private:
  bool has_context_ = false;
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_SCREEN_REPORTER_H_
