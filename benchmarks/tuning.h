// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TUNING_H_
#define CONCORD_BENCHMARKS_TUNING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

  std::string name() const;  // "tbb/one_pass"
};

// The calls of one algorithm on one element type, and what could run them, by
// rising rank of the backend, each backend's default first. Options are at
// their defaults.
struct TuningJob {
  const AlgorithmSpec* spec = nullptr;
  ElementType type = ElementType::kInt32;
  std::vector<Contestant> contestants;

  std::string name() const;  // "scan int32"
};

// Of each contestant, in their order: seconds, infinite for one that did not
// run.
using Seconds = std::vector<double>;

// The times of contestants on one case.
struct TuningPoint {
  CallFacts facts;
  Seconds calls;    // from host memory to host memory
  Seconds kernels;  // on arrays in the memory of a device
  // Contestants with a wrong result, by index, and what was wrong.
  std::map<int, std::string> wrong = {};

  const Seconds& At(DataPlace place) const {
    return place == DataPlace::kDevice ? kernels : calls;
  }
};

// The case of `known` was measured once more: the least of both times.
void TakeLeast(const TuningPoint& again, TuningPoint& known);

// The default of calls at this place, by index; -1 where nothing runs there.
int StandardOf(const TuningJob& job, DataPlace place);

// The contestants that `auto` may choose from at this place, by index: those
// that compute there, and give floats the bits of the default.
std::vector<int> EligibleAt(const TuningJob& job, DataPlace place);

// The places where there is something to choose.
std::vector<DataPlace> PlacesOf(const TuningJob& job);

// The eligible one with the least time; -1: none ran.
int FastestOf(const Seconds& seconds, const std::vector<int>& eligible);

// The sizes that a job is about, from 1 on.
std::int64_t LargestSize(const TuningJob& job);

// From how many elements on which contestant is to run, by points at some
// sizes: so that calls of all sizes, each octave as likely as another, lose
// least to the fastest, with steps only where they gain something. Between two
// points a step is where their times let expect that one overtakes the other.
// `is_cut_off`: there was no time for larger sizes. They are for whichever
// backend's default is expected to be the fastest there, but for the backend of
// the lowest rank, which does not share out its work.
std::vector<ChoiceStep> StepsOf(
    const TuningJob& job, DataPlace place,
    const std::map<std::int64_t, TuningPoint>& points, bool is_cut_off);

// Which contestants to measure, in their order.
struct Entrants {
  std::vector<bool> calls;
  std::vector<bool> kernels;
};

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

 private:
  std::vector<std::shared_ptr<Backend>> backends_;
};

// Whoever may be chosen at some place.
Entrants AllOf(const TuningJob& job);

// Measures them on one case, each checked before it is timed. OutOfRange: the
// case would be too large.
absl::StatusOr<TuningPoint> MeasurePoint(const TuningJob& job,
                                         std::int64_t size, std::uint64_t seed,
                                         const Entrants& entrants);

// The case of such a measurement.
absl::StatusOr<Case> TuningCase(const TuningJob& job, std::int64_t size,
                                std::uint64_t seed);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TUNING_H_
