// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/tuning_check.h"
#include "concord/benchmarks/tuning_search.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNever = std::numeric_limits<double>::infinity();

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

TEST_F(Tuning, TheDefaultIsThatOfTheHighestBackendThatIsThere) {
  EXPECT_EQ(StandardOf(job_, DataPlace::kCpu), 1);
  EXPECT_EQ(StandardOf(job_, DataPlace::kHost), 3);
}

TEST_F(Tuning, DataThatStaysInHostMemoryHasNoDevice) {
  EXPECT_THAT(EligibleAt(job_, DataPlace::kCpu), ElementsAre(0, 1, 2));
  EXPECT_THAT(EligibleAt(job_, DataPlace::kHost), ElementsAre(0, 1, 2, 3));
}

TEST_F(Tuning, FloatsHaveThoseThatAgreeWithTheDefault) {
  job_.contestants[0].info.contract.Determined(Determinism::kRunToRun);
  EXPECT_THAT(EligibleAt(job_, DataPlace::kCpu), ElementsAre(0, 1, 2));
  job_.type = ElementType::kFloat32;
  EXPECT_THAT(EligibleAt(job_, DataPlace::kCpu), ElementsAre(1, 2));
  job_.contestants[1].info.contract.Determined(Determinism::kNone);
  EXPECT_THAT(EligibleAt(job_, DataPlace::kCpu), ElementsAre(1));
}

TEST_F(Tuning, ArraysOnADeviceHaveWhatComputesThere) {
  EXPECT_THAT(EligibleAt(job_, DataPlace::kDevice), ElementsAre(3));
  EXPECT_THAT(PlacesOf(job_), ElementsAre(DataPlace::kCpu, DataPlace::kHost));
  Add("fake", "near", fake_);
  EXPECT_EQ(StandardOf(job_, DataPlace::kDevice), 3);
  EXPECT_THAT(PlacesOf(job_), ElementsAre(DataPlace::kCpu, DataPlace::kHost,
                                          DataPlace::kDevice));
  EXPECT_THAT(AllOf(job_).kernels,
              ElementsAre(false, false, false, true, true));
}

// What cannot be chosen anywhere takes no time.
TEST_F(Tuning, OnlyWhatMayBeChosenIsMeasured) {
  job_.contestants[2].info.contract.Determined(Determinism::kNone);
  job_.type = ElementType::kFloat32;
  EXPECT_THAT(AllOf(job_).calls, ElementsAre(true, true, false, true));
  EXPECT_THAT(AllOf(job_).kernels, ElementsAre(false, false, false, false));
}

TEST_F(Tuning, AStepIsWhereTheTimesAreExpectedToCross) {
  const std::map<std::int64_t, TuningPoint> points = {
      {1, Point({1, 5, 9, 1})},
      {100, Point({4, 5, 9, 3})},
      {400, Point({16, 6, 9, 4})}};
  // Straight lines cross at 127.
  EXPECT_THAT(Steps(DataPlace::kCpu, points),
              ElementsAre("0 serial/plain", "130 tbb/best"));
  EXPECT_THAT(Steps(DataPlace::kHost, points), ElementsAre("0 fake/far"));
}

// What did not run was known to be far behind.
TEST_F(Tuning, AStepToWhatDidNotRunBeforeIsNearTheLargerSize) {
  EXPECT_THAT(Steps(DataPlace::kCpu, {{100, Point({1, kNever, 9, 9})},
                                      {400, Point({1.2, 1.0, 9, 9})}}),
              ElementsAre("0 serial/plain", "341 tbb/best"));
}

TEST_F(Tuning, SmallDifferencesAreNoSteps) {
  EXPECT_THAT(Steps(DataPlace::kCpu, {{1, Point({1.00, 1.01, 9, 9})},
                                      {100, Point({1.03, 1.00, 1.01, 9})},
                                      {400, Point({1.00, 1.02, 1.00, 9})}}),
              ElementsAre("0 tbb/best"));
}

// A busy moment of the machine's at one size loses less than two steps cost.
TEST_F(Tuning, OneSizeThatDiffersALittleIsNoStep) {
  EXPECT_THAT(Steps(DataPlace::kCpu, {{64, Point({9, 1.00, 1.2, 9})},
                                      {128, Point({9, 1.04, 1.0, 9})},
                                      {256, Point({9, 1.00, 1.2, 9})}}),
              ElementsAre("0 tbb/best"));
}

TEST_F(Tuning, BeyondWhatThereWasTimeForIsTheDefault) {
  const std::map<std::int64_t, TuningPoint> points = {
      {1, Point({1, 5, 9, 9})}, {100, Point({4, 5, 9, 9})}};
  EXPECT_THAT(Steps(DataPlace::kCpu, points, /*is_cut_off=*/true),
              ElementsAre("0 serial/plain", "101 tbb/best"));
  EXPECT_THAT(Steps(DataPlace::kCpu, points), ElementsAre("0 serial/plain"));
}

// Data on the host shall not go to a device because nobody knows how it fares
// there.
TEST_F(Tuning, BeyondThatIsTheDefaultThatWasFaster) {
  EXPECT_THAT(Steps(DataPlace::kHost,
                    {{1, Point({1, 5, 9, 90})}, {100, Point({4, 6, 5, 90})}},
                    /*is_cut_off=*/true),
              ElementsAre("0 serial/plain", "101 tbb/best"));
  EXPECT_THAT(Steps(DataPlace::kHost,
                    {{1, Point({1, 5, 9, 90})}, {100, Point({4, 6, 5, 5})}},
                    /*is_cut_off=*/true),
              ElementsAre("0 serial/plain", "101 fake/far"));
  EXPECT_THAT(Steps(DataPlace::kHost, {{1, Point({1, kNever, kNever, kNever})}},
                    /*is_cut_off=*/true),
              ElementsAre("0 serial/plain", "2 fake/far"));
}

// A device whose time has begun to grow, more slowly, will be the faster one.
TEST_F(Tuning, BeyondThatIsTheDefaultThatWillBeFaster) {
  const auto points = [](double tbb, double device) {
    return std::map<std::int64_t, TuningPoint>{
        {1000, Point({99, 10, 99, 40})}, {4000, Point({999, tbb, 99, device})}};
  };
  EXPECT_THAT(Steps(DataPlace::kHost, points(40, 52), /*is_cut_off=*/true),
              ElementsAre("0 tbb/best", "4001 fake/far"));
  EXPECT_THAT(Steps(DataPlace::kHost, points(20, 52), /*is_cut_off=*/true),
              ElementsAre("0 tbb/best"));
  // Whether it grows is not known yet.
  EXPECT_THAT(Steps(DataPlace::kHost, points(40, 42), /*is_cut_off=*/true),
              ElementsAre("0 tbb/best"));
}

TEST_F(Tuning, WhatDidNotRunIsNeverTheFastest) {
  EXPECT_EQ(FastestOf({kNever, kNever, 7, 9}, {0, 1, 2}), 2);
  EXPECT_EQ(FastestOf({kNever, kNever, 7, 9}, {0, 1}), -1);
}

// With real runs, of the variants that the fake algorithm has.
class RealTuning : public ::testing::Test {
 protected:
  RealTuning() {
    spec_.set_variants({{"loop", 1}, {"other", 0}});
    job_.spec = &spec_;
    for (const ImplementationInfo& info : spec_.implementations()) {
      job_.contestants.push_back({info, backend_});
    }
  }
  static absl::Status GoOn(const TuningJob&, std::size_t, double) {
    return absl::OkStatus();
  }

  FakeSpec spec_;
  const std::shared_ptr<FakeBackend> backend_ = std::make_shared<FakeBackend>();
  TuningJob job_;
  Choices choices_;
  std::vector<std::string> wrong_;
};

TEST_F(RealTuning, MeasuresCallsAndKernelsOfOneCase) {
  const absl::StatusOr<TuningPoint> point =
      MeasurePoint(job_, 1000, 1, AllOf(job_));
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_EQ(point->facts.size, 1000);
  for (const Seconds& seconds : {point->calls, point->kernels}) {
    EXPECT_GT(seconds.front(), 0);
    EXPECT_LT(seconds.front(), 1);
  }
  EXPECT_TRUE(point->wrong.empty());
}

TEST_F(RealTuning, WhatIsWrongOrFailsHasNoTime) {
  spec_.behave = [](int) { return FakeSpec::Behaviour::kWrong; };
  const absl::StatusOr<TuningPoint> wrong =
      MeasurePoint(job_, 1000, 1, AllOf(job_));
  EXPECT_EQ(wrong->calls, Seconds(2, kNever));
  EXPECT_THAT(wrong->wrong.at(1), HasSubstr("out: 1 of 1000"));
  spec_.behave = [](int) { return FakeSpec::Behaviour::kError; };
  const absl::StatusOr<TuningPoint> failed =
      MeasurePoint(job_, 1000, 1, AllOf(job_));
  EXPECT_EQ(failed->calls, Seconds(2, kNever));
  EXPECT_TRUE(failed->wrong.empty());
}

TEST_F(RealTuning, KeepsToItsTimeAndAddsSteps) {
  ASSERT_EQ(TuneAll({job_}, 0.01, GoOn, choices_, wrong_), absl::OkStatus());
  for (const DataPlace place : {DataPlace::kHost, DataPlace::kDevice}) {
    const auto& steps =
        choices_.steps.at({"negate", ElementType::kInt32, place});
    EXPECT_EQ(steps.front().from, 0);
    EXPECT_EQ(steps.front().backend, "fake");
  }
  EXPECT_TRUE(wrong_.empty());
}

// What was done until then is usable.
TEST_F(RealTuning, EndsWhenItIsTold) {
  TuningJob second = job_;
  second.type = ElementType::kInt64;
  spec_.behave = [](int) { return FakeSpec::Behaviour::kRight; };
  EXPECT_EQ(TuneAll(
                {job_, second}, 0.01,
                [](const TuningJob&, std::size_t done, double) {
                  return done == 0 ? absl::OkStatus()
                                   : absl::CancelledError("enough");
                },
                choices_, wrong_),
            absl::CancelledError("enough"));
  EXPECT_EQ(choices_.steps.size(), 2u);  // of two places
  EXPECT_EQ(
      choices_.steps.count({"negate", ElementType::kInt32, DataPlace::kHost}),
      1u);
}

TEST_F(RealTuning, AWrongImplementationIsNamedAndTheOthersGoOn) {
  spec_.behave_of = [](absl::string_view variant, int) {
    return variant == "loop" ? FakeSpec::Behaviour::kWrong
                             : FakeSpec::Behaviour::kRight;
  };
  ASSERT_EQ(TuneAll({job_}, 0.05, GoOn, choices_, wrong_), absl::OkStatus());
  EXPECT_THAT(wrong_, ElementsAre(HasSubstr("negate/fake/loop on int32: out")));
  for (const auto& [key, steps] : choices_.steps) {
    EXPECT_EQ(steps.front().variant, "other");
  }
}

// --- The search, on machines that are made up ---

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

TEST_F(Search, FindsTheStepsOfAllPlacesWithFewMeasurements) {
  JobSearch search = NewSearch();
  Grow(search);
  EXPECT_EQ(measurements_, 12);  // 1, 4, ... 2^22
  Refine(search);
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
  EXPECT_LT(WorstRatio(search, DataPlace::kHost), 1.06);
  EXPECT_LT(measurements_, 40);
}

// The GPU is so much faster that it says nothing of data which stays.
TEST_F(Search, WhatIsHopelessBesideADeviceMayBeTheBestWithoutIt) {
  models_[1] = {2e-6, 4e-10};
  models_[2] = {5e-4, 2e-10};  // the best of these from 2.5 million on
  models_[3] = {6e-5, 1e-12};
  JobSearch search = NewSearch();
  Grow(search);
  Refine(search);
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
  EXPECT_LT(WorstRatio(search, DataPlace::kHost), 1.06);
}

TEST_F(Search, WhatIsHopelessIsNotMeasuredOnLargerSizes) {
  models_[0].per_element = 2e-9;
  models_[2] = {1e-6, 1e-7};
  JobSearch search = NewSearch();
  Grow(search);
  Refine(search);
  EXPECT_THAT(largest_, ElementsAre(1 << 18, 1 << 22, 1 << 14, 1 << 22));
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
}

// Also where it was right: nobody wants to depend on that.
TEST_F(Search, WhatIsWrongSomewhereIsNeverChosen) {
  JobSearch search(job_, [this](std::int64_t size, const Entrants& entrants) {
    TuningPoint point = PointOf(size, entrants);
    if (size == 1 << 20) point.wrong.emplace(1, "out: wrong");
    return point;
  });
  Grow(search);
  Refine(search);
  EXPECT_EQ(largest_[1], 1 << 20);
  EXPECT_EQ(search.wrong().at(1), "out: wrong");
  Choices choices;
  search.AddTo(choices);
  EXPECT_EQ(choices.steps.size(), 2u);
  for (const auto& [key, steps] : choices.steps) {
    for (const ChoiceStep& step : steps) EXPECT_NE(step.variant, "best");
  }
}

TEST_F(Search, ACaseThatIsTooLargeIsTheEnd) {
  JobSearch search(
      job_,
      [this](std::int64_t size,
             const Entrants& entrants) -> absl::StatusOr<TuningPoint> {
        if (size > 100) return absl::OutOfRangeError("too large");
        return PointOf(size, entrants);
      });
  Grow(search);
  Choices choices;
  search.AddTo(choices);
  EXPECT_EQ(choices.steps.size(), 2u);
  for (const auto& [key, steps] : choices.steps) {
    EXPECT_EQ(steps.size(), 1u);  // as at the largest that there is
  }
}

// What it takes to make contestants ready must not be taken for what grows:
// small sizes would be the last for which there is time.
TEST(SecondsOfNext, OnlyWhatGrowsIsExpectedToGrow) {
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.06, 0.06, 4), 0.06);
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.07, 0.06, 4), 0.06);
  // 1 that stays, and 0.5, 2, 8 that grow.
  EXPECT_DOUBLE_EQ(SecondsOfNext(1.5, 3, 4), 9);
}

// --- The check ---

TEST_F(RealTuning, ChecksChoicesAtOtherSizes) {
  choices_.steps[{"negate", ElementType::kInt32, DataPlace::kDevice}] = {
      {0, "fake", "other"}};
  std::vector<CheckedChoice> checked;
  ASSERT_EQ(CheckChoices(job_, choices_, {}, 8, 5, checked), absl::OkStatus());
  // Of two places. The largest sizes nothing takes here.
  EXPECT_GE(checked.size(), 4u);
  EXPECT_LT(checked.size(), 16u);
  for (const CheckedChoice& choice : checked) {
    const bool is_device = choice.place == DataPlace::kDevice;
    EXPECT_EQ(choice.chosen, is_device ? "fake/other" : "fake/loop");
    EXPECT_GE(choice.WithTable(), 1);
    EXPECT_FALSE(choice.HasCalls());
  }
}

TEST_F(RealTuning, ChecksWholeCalls) {
  std::vector<CheckedChoice> checked;
  ASSERT_EQ(CheckChoices(job_, choices_, {nullptr, backend_}, 8, 5, checked),
            absl::OkStatus());
  EXPECT_FALSE(checked.empty());
  for (const CheckedChoice& choice : checked) {
    EXPECT_GT(choice.auto_call_seconds, 0);
    EXPECT_GT(choice.OfCalls(), 0);
  }
}

TEST_F(RealTuning, ACheckSaysWhatIsWrong) {
  spec_.behave = [](int) { return FakeSpec::Behaviour::kWrong; };
  std::vector<CheckedChoice> checked;
  const absl::Status status = CheckChoices(job_, choices_, {}, 8, 5, checked);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("negate/fake/loop"));
}

}  // namespace
}  // namespace concord
