// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_COMPARISON_ROWS_H_
#define CONCORD_TOOLS_CONCORD_COMPARISON_ROWS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/benchmarks/ceilings.h"
#include "concord/benchmarks/checked_case.h"
#include "concord/core/spec.h"
#include "concord/tools/concord/selection.h"
#include "concord/tools/concord/text.h"

namespace concord {

// Medians, in seconds.
struct MedianTimes {
  double kernel = 0;
  double call = 0;
  double end_to_end = 0;
};

enum class RowStatus {
  kOk,        // agrees with the reference
  kMismatch,  // does not
  kSkipped,   // cannot run here, or does not take this case
  kError,     // tried and failed
};

// "ok", "mismatch", "skipped", "error".
absl::string_view Name(RowStatus status);

// What came out for one implementation.
struct ComparisonRow {
  Candidate candidate;
  RowStatus status = RowStatus::kOk;
  // Why the status is not kOk.
  std::string reason;
  // Of an error, what it is.
  absl::Status error;
  // Only a right result has a time.
  std::optional<MedianTimes> seconds;
  // The part of the memory's ceiling that the floor's bytes reach in kernel
  // time. Nothing for a case without bytes.
  std::optional<double> ceiling_share;
  // Over the serial reference, by the time of a call. Nothing when that failed.
  std::optional<double> speedup;
};

struct ComparisonTable {
  std::vector<ComparisonRow> rows;
  // By memory.
  std::map<std::string, Ceilings> ceilings;
  Floor floor;
  // Why the input cannot be used: what the reference says of it, or else the
  // first row, where none of those that ran takes it. Otherwise ok.
  absl::Status refusal;

  int Count(RowStatus status) const;
  // The right one of the shortest call; null when none is right.
  const ComparisonRow* Fastest() const;
};

// Runs every candidate on the case, checks its result and, when it is right,
// times it. `repetitions` is how often, at most.
ComparisonTable CompareCandidates(const AlgorithmSpec& spec,
                                  const CheckedCase& checked,
                                  const std::vector<Candidate>& candidates,
                                  int repetitions, ProgressLine& progress);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_COMPARISON_ROWS_H_
