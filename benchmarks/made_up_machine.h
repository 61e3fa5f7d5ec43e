// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_MADE_UP_MACHINE_H_
#define CONCORD_BENCHMARKS_MADE_UP_MACHINE_H_

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/tuning.h"
#include "concord/benchmarks/tuning_search.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// A machine of a CPU and a device, whose times a test tells.
class Tuning : public ::testing::Test {
 protected:
  Tuning() {
    job_.spec = &spec_;
    Add("serial", "plain", serial_);
    Add("tbb", "best", tbb_);
    Add("tbb", "second", tbb_);
    Add("fake", "far", fake_);
  }
  void Add(const char* backend, const char* variant,
           const std::shared_ptr<Backend>& opened) {
    job_.contestants.push_back(
        {{"negate", backend, variant, "", Contract(), 0}, opened});
  }
  // The same times for arrays on the device.
  static TuningPoint Point(const Seconds& seconds) {
    return {{}, seconds, seconds};
  }
  // "0 tbb/best"
  std::vector<std::string> Steps(
      DataPlace place, const std::map<std::int64_t, TuningPoint>& points,
      bool is_cut_off = false) {
    std::vector<std::string> texts;
    for (const ChoiceStep& step : StepsOf(job_, place, points, is_cut_off)) {
      texts.push_back(
          absl::StrCat(step.from, " ", step.backend, "/", step.variant));
    }
    return texts;
  }

  FakeSpec spec_;
  std::shared_ptr<Backend> serial_ = std::make_shared<PlainBackend>("serial");
  std::shared_ptr<Backend> tbb_ = std::make_shared<PlainBackend>("tbb");
  std::shared_ptr<Backend> fake_ = std::make_shared<FakeBackend>();
  TuningJob job_;
};

// Seconds of contestants by the size: c + a n, each by its own way to n.
struct Model {
  double cost;
  double per_element;

  double At(std::int64_t size) const {
    return cost + per_element * static_cast<double>(size);
  }
};

class Search : public Tuning {
 protected:
  // Serial, two of tbb, and a device with copies, whose crossings are anywhere.
  std::vector<Model> models_ = {
      {3e-8, 1e-9}, {2e-6, 2.5e-10}, {9e-6, 1.5e-10}, {3e-5, 0.8e-10}};
  int measurements_ = 0;
  // The largest size of each contestant.
  std::vector<std::int64_t> largest_ = std::vector<std::int64_t>(4);

  TuningPoint PointOf(std::int64_t size, const Entrants& entrants) {
    TuningPoint point = Point(Seconds(4, kNever));
    point.facts.size = size;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!entrants.calls[i]) continue;
      point.calls[i] = models_[i].At(size);
      largest_[i] = std::max(largest_[i], size);
    }
    return point;
  }
  JobSearch NewSearch() {
    return JobSearch(job_, [this](std::int64_t size, const Entrants& entrants) {
      ++measurements_;
      return PointOf(size, entrants);
    });
  }
  static void Grow(JobSearch& search) {
    while (const std::int64_t size = search.Larger(1)) {
      ASSERT_EQ(search.MeasureAt(size), absl::OkStatus());
    }
  }
  static void Refine(JobSearch& search) {
    while (const std::int64_t size = search.Best().size) {
      ASSERT_EQ(search.MeasureAt(size), absl::OkStatus());
    }
  }
  // The most that a choice at any size loses.
  double WorstRatio(const JobSearch& search, DataPlace place) {
    Choices choices;
    search.AddTo(choices);
    double worst = 0;
    for (double octave = 0; octave < 22; octave += 0.01) {
      const auto size = static_cast<std::int64_t>(std::exp2(octave));
      ChoiceStep chosen;
      for (const ChoiceStep& step :
           choices.steps.at({"negate", ElementType::kInt32, place})) {
        if (step.from <= size) chosen = step;
      }
      double best = kNever;
      double mine = kNever;
      for (const int i : EligibleAt(job_, place)) {
        const auto k = static_cast<std::size_t>(i);
        best = std::min(best, models_[k].At(size));
        if (job_.contestants[k].info.backend == chosen.backend &&
            job_.contestants[k].info.variant == chosen.variant) {
          mine = models_[k].At(size);
        }
      }
      worst = std::max(worst, mine / best);
    }
    return worst;
  }
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_MADE_UP_MACHINE_H_
