// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What follows from the times that were measured for `auto`.

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "concord/benchmarks/tuning.h"

namespace concord {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Losses are binary logarithms of how many times as long as the fastest, times
// octaves of sizes. A step has to gain as much as 3.5 % over an octave, which
// is less than a choice may cost and more than two measurements differ by.
constexpr double kStep = 0.05;

// Among equals the default runs: per octave, half a per cent.
constexpr double kNotTheDefault = 0.007;

// So much is lost where something did not run, or is not known to be better
// than that.
constexpr double kMostLoss = 10;
constexpr double kDidNotRun = 1000;

// A contestant's time has to grow by this factor from one size to the next for
// its growth to be told from the noise.
constexpr double kVisibleGrowth = 1.25;

// The default of each backend that takes part in calls at this place, by rising
// rank of the backend.
std::vector<int> DefaultsOf(const TuningJob& job, DataPlace place) {
  std::vector<int> defaults;
  const Backend* before = nullptr;
  for (std::size_t i = 0; i < job.contestants.size(); ++i) {
    const Backend* const backend = job.contestants[i].backend.get();
    const bool is_host = backend->memory().is_host();
    const bool computes_there =
        place == DataPlace::kHost || is_host == (place == DataPlace::kCpu);
    if (computes_there && backend != before) {
      defaults.push_back(static_cast<int>(i));
    }
    before = backend;
  }
  return defaults;
}

double Octave(std::int64_t size) {
  return std::log2(static_cast<double>(std::max<std::int64_t>(size, 1)));
}

// The points of one place as rows of times, of those that may be chosen there.
struct Course {
  std::vector<int> eligible;
  std::vector<std::int64_t> sizes;
  std::vector<Seconds> rows;  // in the order of `eligible`

  double best(std::size_t row) const { return *absl::c_min_element(rows[row]); }
  // Of the octaves of sizes, those for which this row is the nearest.
  double OctavesOf(std::size_t row) const {
    const double here = Octave(sizes[row]);
    const double low = row == 0 ? here : Octave(sizes[row - 1]);
    const double high = row + 1 == rows.size() ? here : Octave(sizes[row + 1]);
    return std::max(0.1, (high - low) / 2);
  }
  double LossOf(std::size_t row, std::size_t contestant) const {
    const double seconds = rows[row][contestant];
    if (seconds == kNever) return kDidNotRun;
    return std::min(kMostLoss, std::log2(seconds / best(row)));
  }
};

Course CourseOf(const TuningJob& job, DataPlace place,
                const std::map<std::int64_t, TuningPoint>& points) {
  Course course = {EligibleAt(job, place), {}, {}};
  for (const auto& [size, point] : points) {
    if (FastestOf(point.At(place), course.eligible) < 0) continue;
    course.sizes.push_back(size);
    course.rows.emplace_back();
    for (const int i : course.eligible) {
      course.rows.back().push_back(
          point.At(place)[static_cast<std::size_t>(i)]);
    }
  }
  return course;
}

// Which of the eligible runs at each row, so that the least is lost: the
// shortest path through all rows.
std::vector<std::size_t> BestPath(const Course& course, std::size_t standard) {
  const std::size_t count = course.eligible.size();
  std::vector<double> loss(count, 0);
  std::vector<std::vector<std::size_t>> came_from;
  for (std::size_t row = 0; row < course.rows.size(); ++row) {
    const auto best =
        static_cast<std::size_t>(absl::c_min_element(loss) - loss.begin());
    const double changed = loss[best] + (row == 0 ? 0 : kStep);
    came_from.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      came_from[row][i] = loss[i] <= changed ? i : best;
      const double here =
          course.LossOf(row, i) + (i == standard ? 0 : kNotTheDefault);
      loss[i] = std::min(loss[i], changed) + here * course.OctavesOf(row);
    }
  }
  std::vector<std::size_t> path(course.rows.size());
  std::size_t at =
      static_cast<std::size_t>(absl::c_min_element(loss) - loss.begin());
  for (std::size_t row = course.rows.size(); row-- > 0;) {
    path[row] = at;
    at = came_from[row][at];
  }
  return path;
}

// From which size on `next` is to run, which does at `row`, rather than `now`,
// which does at the row before.
std::int64_t StepBetween(const Course& course, std::size_t row, std::size_t now,
                         std::size_t next) {
  // By how much each is ahead at its end; where the other did not run, it was
  // far behind.
  constexpr double kFar = 2;
  const auto ahead = [&](std::size_t at, std::size_t one, std::size_t other) {
    const double ratio = course.rows[at][other] / course.rows[at][one];
    return std::max(0.0, std::min(kFar, std::log2(ratio)));
  };
  const double before = ahead(row - 1, now, next);
  const double after = ahead(row, next, now);
  const double part = before + after > 0 ? before / (before + after) : 0.5;
  const double low = Octave(course.sizes[row - 1]);
  const double high = Octave(course.sizes[row]);
  const auto size = static_cast<std::int64_t>(
      std::ceil(std::exp2(low + part * (high - low))));
  return std::clamp(size, course.sizes[row - 1] + 1, course.sizes[row]);
}

// What takes sizes larger than that of the last point: a default, which has
// less that can go wrong on sizes that nobody measured.
int BeyondOf(const TuningJob& job, DataPlace place,
             const std::map<std::int64_t, TuningPoint>& points) {
  const std::vector<int> eligible = EligibleAt(job, place);
  std::vector<int> defaults = DefaultsOf(job, place);
  defaults.erase(defaults.begin());
  defaults.erase(std::remove_if(defaults.begin(), defaults.end(),
                                [&](int i) {
                                  return !absl::c_linear_search(eligible, i);
                                }),
                 defaults.end());
  const auto last = points.rbegin();
  Seconds expected = last->second.At(place);
  int fastest = FastestOf(expected, defaults);
  if (fastest < 0) return StandardOf(job, place);
  if (points.size() == 1) return fastest;
  // What has begun to grow goes on as a + b n. Of others nobody knows when they
  // will.
  const auto before = std::next(last);
  const double growth = static_cast<double>(LargestSize(job) - last->first) /
                        static_cast<double>(last->first - before->first);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double earlier = before->second.At(place)[i];
    const bool grows = expected[i] >= kVisibleGrowth * earlier;
    if (!grows && static_cast<int>(i) != fastest) {
      expected[i] = kNever;
    } else if (earlier < expected[i]) {
      expected[i] += std::max(0.0, growth) * (expected[i] - earlier);
    }
  }
  return FastestOf(expected, defaults);
}

}  // namespace

std::string Contestant::name() const {
  return absl::StrCat(info.backend, "/", info.variant);
}

std::string TuningJob::name() const {
  return absl::StrCat(spec->name(), " ", Name(type));
}

void TakeLeast(const TuningPoint& again, TuningPoint& known) {
  for (std::size_t i = 0; i < known.calls.size(); ++i) {
    known.calls[i] = std::min(known.calls[i], again.calls[i]);
    known.kernels[i] = std::min(known.kernels[i], again.kernels[i]);
  }
}

int StandardOf(const TuningJob& job, DataPlace place) {
  const std::vector<int> defaults = DefaultsOf(job, place);
  return defaults.empty() ? -1 : defaults.back();
}

std::vector<int> EligibleAt(const TuningJob& job, DataPlace place) {
  std::vector<int> eligible;
  const int standard = StandardOf(job, place);
  if (standard < 0) return eligible;
  const ImplementationInfo& default_info =
      job.contestants[static_cast<std::size_t>(standard)].info;
  for (std::size_t i = 0; i < job.contestants.size(); ++i) {
    const Contestant& contestant = job.contestants[i];
    const bool is_host = contestant.backend->memory().is_host();
    if (place != DataPlace::kHost && is_host != (place == DataPlace::kCpu)) {
      continue;
    }
    if (IsFloat(job.type) && !AgreeOnFloats(default_info, contestant.info)) {
      continue;
    }
    eligible.push_back(static_cast<int>(i));
  }
  return eligible;
}

std::vector<DataPlace> PlacesOf(const TuningJob& job) {
  std::vector<DataPlace> places = {DataPlace::kCpu};
  const bool has_device =
      absl::c_any_of(job.contestants, [](const Contestant& contestant) {
        return !contestant.backend->memory().is_host();
      });
  if (has_device)
    places = {DataPlace::kCpu, DataPlace::kHost, DataPlace::kDevice};
  places.erase(std::remove_if(places.begin(), places.end(),
                              [&](DataPlace place) {
                                return EligibleAt(job, place).size() < 2;
                              }),
               places.end());
  return places;
}

int FastestOf(const Seconds& seconds, const std::vector<int>& eligible) {
  int fastest = -1;
  double least = kNever;
  for (const int i : eligible) {
    if (seconds[static_cast<std::size_t>(i)] < least) {
      least = seconds[static_cast<std::size_t>(i)];
      fastest = i;
    }
  }
  return fastest;
}

std::vector<ChoiceStep> StepsOf(
    const TuningJob& job, DataPlace place,
    const std::map<std::int64_t, TuningPoint>& points, bool is_cut_off) {
  std::vector<ChoiceStep> steps;
  const auto begin = [&](std::int64_t from, int contestant) {
    const ImplementationInfo& info =
        job.contestants[static_cast<std::size_t>(contestant)].info;
    steps.push_back({from, info.backend, info.variant});
  };
  const Course course = CourseOf(job, place, points);
  if (course.rows.empty()) return steps;
  const std::vector<std::size_t> path = BestPath(
      course, static_cast<std::size_t>(
                  absl::c_find(course.eligible, StandardOf(job, place)) -
                  course.eligible.begin()));
  for (std::size_t row = 0; row < path.size(); ++row) {
    if (row == 0) {
      begin(0, course.eligible[path[row]]);
    } else if (path[row] != path[row - 1]) {
      begin(StepBetween(course, row, path[row - 1], path[row]),
            course.eligible[path[row]]);
    }
  }
  if (is_cut_off) {
    const int beyond = BeyondOf(job, place, points);
    if (course.eligible[path.back()] != beyond) {
      begin(course.sizes.back() + 1, beyond);
    }
  }
  return steps;
}

}  // namespace concord
