// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/tuning_check.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

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
  static TuningPoint Point(std::vector<double> seconds) {
    return {{}, std::move(seconds)};
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

TEST_F(Tuning, StepsAreBetweenTheSizesWhereTheFastestChanges) {
  const std::map<std::int64_t, TuningPoint> points = {
      {1, Point({1, 5, 9, 1})},
      {100, Point({4, 5, 9, 3})},
      {400, Point({16, 6, 9, 4})}};
  EXPECT_THAT(Steps(DataPlace::kCpu, points),
              ElementsAre("0 serial/plain", "200 tbb/best"));
  EXPECT_THAT(Steps(DataPlace::kHost, points), ElementsAre("0 fake/far"));
}

TEST_F(Tuning, SmallDifferencesAreNoSteps) {
  EXPECT_THAT(Steps(DataPlace::kCpu, {{1, Point({1.00, 1.05, 9, 9})},
                                      {100, Point({1.00, 1.03, 1.01, 9})},
                                      {400, Point({2.00, 1.04, 1.00, 9})}}),
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

// What it takes to make contestants ready must not be taken for what grows:
// small sizes would be the last for which there is time.
TEST_F(Tuning, OnlyWhatGrowsIsExpectedToGrow) {
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.06, 0.06, 4), 0.06);
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.07, 0.06, 4), 0.06);
  // 1 that stays, and 0.5, 2, 8 that grow.
  EXPECT_DOUBLE_EQ(SecondsOfNext(1.5, 3, 4), 9);
}

TEST_F(Tuning, WhatDidNotRunIsNeverTheFastest) {
  EXPECT_EQ(FastestOf(Point({kNever, kNever, 7, 9}), {0, 1, 2}), 2);
  EXPECT_EQ(FastestOf(Point({kNever, kNever, 7, 9}), {0, 1}), -1);
}

// With real runs, of the one implementation that the fake algorithm has.
TEST(Tuner, MeasuresOnlyWhatIsRight) {
  FakeSpec spec;
  const auto backend = std::make_shared<FakeBackend>();
  TuningJob job = {&spec,
                   ElementType::kInt32,
                   false,
                   {{spec.implementations().front(), backend}}};
  const Tuner tuner({backend});
  const absl::StatusOr<TuningPoint> point = tuner.Measure(job, 1000, 1);
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_EQ(point->facts.size, 1000);
  EXPECT_GT(point->seconds.front(), 0);
  EXPECT_LT(point->seconds.front(), 1);
  spec.behave = [](int) { return FakeSpec::Behaviour::kWrong; };
  EXPECT_EQ(tuner.Measure(job, 1000, 1).status().code(),
            absl::StatusCode::kDataLoss);
  spec.behave = [](int) { return FakeSpec::Behaviour::kError; };
  EXPECT_EQ(tuner.Measure(job, 1000, 1)->seconds.front(), kNever);
}

TEST(Tuner, KeepsToItsTimeAndAddsSteps) {
  FakeSpec spec;
  const auto backend = std::make_shared<FakeBackend>();
  const TuningJob job = {&spec,
                         ElementType::kInt32,
                         true,
                         {{spec.implementations().front(), backend}}};
  Choices choices;
  ASSERT_EQ(Tuner({backend}).Tune(job, 0.01, choices), absl::OkStatus());
  const auto& steps =
      choices.steps.at({"negate", ElementType::kInt32, DataPlace::kDevice});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps.front().variant, "loop");
  std::vector<CheckedChoice> checked;
  ASSERT_EQ(CheckChoices(Tuner({backend}), job, choices, 2, 5, checked),
            absl::OkStatus());
  EXPECT_TRUE(checked.empty());  // there is nothing to choose
}

}  // namespace
}  // namespace concord
