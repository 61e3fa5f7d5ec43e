// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TUNING_H_
#define CONCORD_BENCHMARKS_TUNING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/core/backend.h"
#include "concord/core/choices.h"
#include "concord/core/chooser.h"
#include "concord/core/spec.h"

namespace concord {

// An implementation that can run here, and where.
struct Contestant {
  ImplementationInfo info;
  std::shared_ptr<Backend> backend;
};

// The calls of one algorithm on one element type, with data on the host or on a
// device, and what could run them. Its options are at their defaults.
struct TuningJob {
  const AlgorithmSpec* spec = nullptr;
  ElementType type = ElementType::kInt32;
  bool on_device = false;
  std::vector<Contestant> contestants;

  std::string name() const;  // "scan int32, data on the host"
};

// The times of all contestants on one case.
struct TuningPoint {
  CallFacts facts;
  // In the order of the contestants; infinite for one that did not run.
  std::vector<double> seconds;
};

// The case of `known` was measured once more: the least of both times.
void TakeLeast(const TuningPoint& again, TuningPoint& known);

// The default of calls at this place, by index; -1 where nothing runs there.
int StandardOf(const TuningJob& job, DataPlace place);

// The contestants that `auto` may choose from at this place, by index: those
// that compute there, and give floats the bits of the default.
std::vector<int> EligibleAt(const TuningJob& job, DataPlace place);

// The eligible one with the least time; -1: none ran.
int FastestOf(const TuningPoint& point, const std::vector<int>& eligible);

// From how many elements on which contestant is the fastest, by points at some
// sizes. Where it makes next to no difference, the one of smaller sizes goes
// on, or the default begins. `is_cut_off`: there was no time for larger sizes.
// They are for whichever backend's default was the fastest at the last size,
// but for the backend of the lowest rank, which does not share out its work.
std::vector<ChoiceStep> StepsOf(
    const TuningJob& job, DataPlace place,
    const std::map<std::int64_t, TuningPoint>& points, bool is_cut_off);

// How long the next size will take, which is `factor` times as large as the
// last one, as that is as the one before: a part of `last` grows with the size,
// and the rest does not, such as making the contestants ready.
double SecondsOfNext(double before, double last, double factor);

// Measures for `auto`.
class Tuner {
 public:
  // `backends`: those that take part, by rising rank.
  explicit Tuner(std::vector<std::shared_ptr<Backend>> backends)
      : backends_(std::move(backends)) {}

  // Those where there is something to choose, of algorithms and types with
  // these names; an empty list has all.
  std::vector<TuningJob> Jobs(const std::vector<std::string>& algorithms,
                              const std::vector<std::string>& types) const;

  // The places that calls of the job can be at.
  std::vector<DataPlace> PlacesOf(const TuningJob& job) const;

  // All contestants but those whose times `skip` marks, each checked before it
  // is timed.
  absl::StatusOr<TuningPoint> Measure(const TuningJob& job, std::int64_t size,
                                      std::uint64_t seed,
                                      const std::vector<bool>& skip = {}) const;

  // Finds the steps within about so many seconds.
  absl::Status Tune(const TuningJob& job, double seconds,
                    Choices& choices) const;

 private:
  std::vector<std::shared_ptr<Backend>> backends_;
};

// The sizes that a job is about, from 1 on.
std::int64_t LargestSize(const TuningJob& job);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TUNING_H_
