// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/made_up_machine.h"
#include "concord/benchmarks/tuning_check.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
