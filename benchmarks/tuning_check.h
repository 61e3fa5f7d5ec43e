// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TUNING_CHECK_H_
#define CONCORD_BENCHMARKS_TUNING_CHECK_H_

#include <cstdint>
#include <memory>
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
  std::string algorithm;
  ElementType type = ElementType::kInt32;
  DataPlace place = DataPlace::kCpu;
  std::int64_t size = 0;
  std::string chosen;  // "tbb/one_pass"
  std::string best;
  double chosen_seconds = 0;
  double best_seconds = 0;
  // Of the default, which runs without a table.
  double standard_seconds = 0;
  // Of whole calls (core/call.h), in turns: on a backend that was opened as
  // `auto`, and of the best by its name. 0: they were not timed.
  double auto_call_seconds = 0;
  double named_call_seconds = 0;

  double WithTable() const { return chosen_seconds / best_seconds; }
  double WithoutTable() const { return standard_seconds / best_seconds; }
  bool HasCalls() const { return named_call_seconds > 0; }
  double OfCalls() const { return auto_call_seconds / named_call_seconds; }
};

// Backends as programs open them that let `auto` choose.
struct AutoBackends {
  // Chooses by the table for data where `place` says; null: none can.
  std::shared_ptr<Backend> At(DataPlace place) const {
    return place == DataPlace::kCpu ? cpu : device;
  }
  std::shared_ptr<Backend> cpu;
  std::shared_ptr<Backend> device;
};

// Measures the job at `count` sizes, drawn evenly by their logarithms, and adds
// what `choices` say there, and times of calls on those of `backends` that are
// there. A size where a choice is not near the best is measured once more, and
// the least of both times counts. DataLoss: a result was wrong.
absl::Status CheckChoices(const TuningJob& job, const Choices& choices,
                          const AutoBackends& backends, int count,
                          std::uint64_t seed,
                          std::vector<CheckedChoice>& checked);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TUNING_CHECK_H_
