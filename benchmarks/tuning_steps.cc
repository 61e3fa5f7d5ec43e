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

// A smaller difference is none: half of what a choice may cost, and more than
// times differ by when a machine is busy.
constexpr double kEqual = 1.06;

// The default of each backend that takes part in calls at this place, by rising
// rank of the backend.
std::vector<int> DefaultsOf(const TuningJob& job, DataPlace place) {
  // Contestants are by rising rank of the backend, each backend's default
  // first.
  std::vector<int> defaults;
  const Backend* before = nullptr;
  for (std::size_t i = 0; i < job.contestants.size(); ++i) {
    const Backend* const backend = job.contestants[i].backend.get();
    if (place == DataPlace::kCpu && !backend->memory().is_host()) continue;
    if (backend != before) defaults.push_back(static_cast<int>(i));
    before = backend;
  }
  return defaults;
}

}  // namespace

double SecondsOfNext(double before, double last, double factor) {
  return last + factor * std::max(0.0, last - before);
}

std::string TuningJob::name() const {
  return absl::StrCat(spec->name(), " ", Name(type), ", data on the ",
                      on_device ? "device" : "host");
}

void TakeLeast(const TuningPoint& again, TuningPoint& known) {
  for (std::size_t i = 0; i < known.seconds.size(); ++i) {
    known.seconds[i] = std::min(known.seconds[i], again.seconds[i]);
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
    if (place == DataPlace::kCpu && !contestant.backend->memory().is_host()) {
      continue;
    }
    if (IsFloat(job.type) && !AgreeOnFloats(default_info, contestant.info)) {
      continue;
    }
    eligible.push_back(static_cast<int>(i));
  }
  return eligible;
}

int FastestOf(const TuningPoint& point, const std::vector<int>& eligible) {
  int fastest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (const int i : eligible) {
    const double seconds = point.seconds[static_cast<std::size_t>(i)];
    if (seconds < least) {
      least = seconds;
      fastest = i;
    }
  }
  return fastest;
}

namespace {

// What takes sizes larger than that of the last point.
int BeyondOf(const TuningJob& job, DataPlace place, const TuningPoint& last) {
  const std::vector<int> eligible = EligibleAt(job, place);
  std::vector<int> defaults = DefaultsOf(job, place);
  defaults.erase(defaults.begin());
  defaults.erase(std::remove_if(defaults.begin(), defaults.end(),
                                [&](int i) {
                                  return !absl::c_linear_search(eligible, i);
                                }),
                 defaults.end());
  const int fastest = FastestOf(last, defaults);
  return fastest < 0 ? StandardOf(job, place) : fastest;
}

}  // namespace

std::vector<ChoiceStep> StepsOf(
    const TuningJob& job, DataPlace place,
    const std::map<std::int64_t, TuningPoint>& points, bool is_cut_off) {
  const std::vector<int> eligible = EligibleAt(job, place);
  std::vector<ChoiceStep> steps;
  int current = -1;
  std::int64_t before = 0;
  const auto begin = [&](std::int64_t from, int contestant) {
    const ImplementationInfo& info =
        job.contestants[static_cast<std::size_t>(contestant)].info;
    steps.push_back({from, info.backend, info.variant});
    current = contestant;
  };
  const int standard = StandardOf(job, place);
  for (const auto& [size, point] : points) {
    const int fastest = FastestOf(point, eligible);
    if (fastest < 0) continue;
    const auto is_near = [fastest, &seconds = point.seconds](int i) {
      return seconds[static_cast<std::size_t>(i)] <=
             kEqual * seconds[static_cast<std::size_t>(fastest)];
    };
    const int next = is_near(standard) ? standard : fastest;
    if (current < 0) {
      begin(0, next);
    } else if (!is_near(current)) {
      begin(static_cast<std::int64_t>(std::ceil(std::sqrt(
                static_cast<double>(before) * static_cast<double>(size)))),
            next);
    }
    before = size;
  }
  if (is_cut_off && current >= 0) {
    const int beyond = BeyondOf(job, place, points.rbegin()->second);
    if (current != beyond) begin(before + 1, beyond);
  }
  return steps;
}

}  // namespace concord
