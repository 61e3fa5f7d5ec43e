// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TUNING_CHECK_H_
#define CONCORD_BENCHMARKS_TUNING_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "concord/benchmarks/tuning.h"
#include "concord/core/choices.h"

namespace concord {

// A choice counts as near the best when it takes at most so many times as long.
inline constexpr double kNearTheBest = 1.10;

// What `auto` chooses for one call, beside what would have been the best.
struct CheckedChoice {
  std::string where;  // "scan int32 cpu"
  std::int64_t size = 0;
  std::string chosen;  // "tbb/one_pass"
  std::string best;
  double chosen_seconds = 0;
  double best_seconds = 0;
  // Of the default, which runs without a table.
  double standard_seconds = 0;

  double WithTable() const { return chosen_seconds / best_seconds; }
  double WithoutTable() const { return standard_seconds / best_seconds; }
};

// Measures the job at `count` sizes, drawn evenly by their logarithms, and adds
// what `choices` say there. A size where a choice is not near the best is
// measured once more, and the least of both times counts.
absl::Status CheckChoices(const Tuner& tuner, const TuningJob& job,
                          const Choices& choices, int count, std::uint64_t seed,
                          std::vector<CheckedChoice>& checked);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TUNING_CHECK_H_
