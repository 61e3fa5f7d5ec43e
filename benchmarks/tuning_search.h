// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TUNING_SEARCH_H_
#define CONCORD_BENCHMARKS_TUNING_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "concord/benchmarks/tuning.h"
#include "concord/core/choices.h"

namespace concord {

// How long the next size will take, which is `factor` times as large as the
// last one, as that is as the one before: a part of `last` grows with the size,
// and the rest does not, such as making the contestants ready.
double SecondsOfNext(double before, double last, double factor);

// What has been measured for one job, and what to measure next.
class JobSearch {
 public:
  // Measures contestants on a case of about this size.
  using Measure =
      std::function<absl::StatusOr<TuningPoint>(std::int64_t, const Entrants&)>;

  // The job outlives it.
  explicit JobSearch(const TuningJob& job);
  JobSearch(const TuningJob& job, Measure measure)
      : job_(job), measure_(std::move(measure)) {}

  const TuningJob& job() const { return job_; }

  // The next larger size, if it fits in so many seconds; 0: none does.
  std::int64_t Larger(double seconds) const;

  // Anything else that is of use, and the most useful for its time.
  struct Suggestion {
    std::int64_t size = 0;
    // Octaves of sizes, times the binary logarithm of what may be lost there.
    double gain = 0;
    double seconds = 0;

    bool IsBetterThan(const Suggestion& other) const {
      return gain * other.seconds > other.gain * seconds;
    }
  };
  Suggestion Best() const;

  // Measures there, whoever may be the fastest.
  absl::Status MeasureAt(std::int64_t size);

  // Puts the steps that follow in place of those there were.
  void AddTo(Choices& choices) const;

  // Contestants with a wrong result, by index, and what was wrong. They are
  // out.
  const std::map<int, std::string>& wrong() const { return wrong_; }

 private:
  struct Measured {
    std::int64_t size = 0;  // of the first input
    double seconds = 0;     // of measuring
    int times = 0;
  };
  using Requests = std::map<std::int64_t, Measured>;

  const TuningPoint& At(std::int64_t request) const {
    return points_.at(requests_.at(request).size);
  }
  bool IsCutOff() const;
  double SecondsOfLarger() const;
  Entrants EntrantsAt(std::int64_t size) const;
  void TakeOut(const std::map<int, std::string>& wrong);
  Suggestion Between(Requests::const_iterator low,
                     Requests::const_iterator high) const;
  Suggestion Again(Requests::const_iterator request) const;

  const TuningJob& job_;
  const Measure measure_;
  // By the size that was asked for.
  Requests requests_;
  // By that of the first input.
  std::map<std::int64_t, TuningPoint> points_;
  // A size of which cases are too large; 0: none is.
  std::int64_t too_large_ = 0;
  std::map<int, std::string> wrong_;
};

// Called before each measurement: what it is about, how many jobs have a place
// in `choices`, and how many seconds are left. What it returns ends the tuning:
// Cancelled, when the user has had enough. `choices` are usable at any time.
using BeforeTuning = std::function<absl::Status(const TuningJob& job,
                                                std::size_t done, double left)>;

// Tunes all jobs in about so many seconds, or less where more would gain
// nothing. First each gets larger and larger sizes, in a share of the time;
// what one leaves, the later ones have. Then the time goes wherever it gains
// most. `wrong` gets the implementations with a wrong result, which are never
// chosen, and how they were wrong.
absl::Status TuneAll(const std::vector<TuningJob>& jobs, double seconds,
                     const BeforeTuning& before, Choices& choices,
                     std::vector<std::string>& wrong);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TUNING_SEARCH_H_
