// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/measure.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "concord/benchmarks/ceilings.h"
#include "concord/benchmarks/checked_case.h"
#include "concord/benchmarks/fake_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Behaviour = FakeSpec::Behaviour;

class MeasureTest : public ::testing::Test {
 protected:
  std::unique_ptr<Contender> NewContender(
      std::int64_t size = 1000,
      const std::shared_ptr<Backend>& checker = nullptr) {
    absl::StatusOr<Case> generated =
        spec_.Generate({size, ElementType::kInt32, "uniform", {}, /*seed=*/1});
    EXPECT_TRUE(generated.ok());
    absl::StatusOr<CheckedCase> checked =
        MakeCheckedCase(spec_, *std::move(generated), checker);
    EXPECT_TRUE(checked.ok());
    absl::StatusOr<std::unique_ptr<Contender>> contender = Contender::Create(
        spec_, "loop", backend_, checked->test_case, checked->check);
    EXPECT_TRUE(contender.ok());
    return *std::move(contender);
  }

  // The behaviour of every run but that of run 0, which only verifies.
  void LaterRuns(Behaviour behaviour) {
    spec_.behave = [behaviour](int run) {
      return run == 0 ? Behaviour::kRight : behaviour;
    };
  }

  FakeSpec spec_;
  std::shared_ptr<FakeBackend> backend_ = std::make_shared<FakeBackend>();
};

TEST_F(MeasureTest, RightResultIsTimedInEveryScope) {
  const auto contender = NewContender();
  for (const Scope scope : AllScopes()) {
    absl::StatusOr<Timing> timing = contender->Time(scope, {});
    ASSERT_TRUE(timing.ok()) << Name(scope) << ": " << timing.status();
    EXPECT_GT(timing->least, 0) << Name(scope);
    EXPECT_LE(timing->least, timing->median) << Name(scope);
    EXPECT_LE(timing->median, timing->most) << Name(scope);
    EXPECT_GT(timing->samples.size(), 1u) << Name(scope);
  }
}

TEST_F(MeasureTest, WrongResultGetsNoTime) {
  spec_.behave = [](int) { return Behaviour::kWrong; };
  const absl::Status status = NewContender()->Time(Scope::kKernel, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("out: 1 of 1000"));
}

TEST_F(MeasureTest, CheckerSaysWhatIsRightInPlaceOfTheSpec) {
  // The checker's own run, and then that which is checked.
  spec_.behave = [](int) { return Behaviour::kWrong; };
  EXPECT_TRUE(NewContender(1000, backend_)->Time(Scope::kKernel, {}).ok());
  spec_.behave = [first = true](int) mutable {
    return std::exchange(first, false) ? Behaviour::kRight : Behaviour::kWrong;
  };
  const absl::Status status =
      NewContender(1000, backend_)->Time(Scope::kKernel, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("out: 1 of 1000"));
}

TEST_F(MeasureTest, CheckerThatFailsLeavesNothingToCompareWith) {
  spec_.behave = [](int) { return Behaviour::kError; };
  absl::StatusOr<Case> generated =
      spec_.Generate({10, ElementType::kInt32, "uniform", {}, /*seed=*/1});
  ASSERT_TRUE(generated.ok());
  EXPECT_EQ(MakeCheckedCase(spec_, *std::move(generated), backend_)
                .status()
                .message(),
            "launch failed");
}

TEST_F(MeasureTest, ResultThatTurnsWrongWhileTimedGetsNoTime) {
  LaterRuns(Behaviour::kWrong);
  for (const Scope scope : AllScopes()) {
    EXPECT_EQ(NewContender()->Time(scope, {}).status().code(),
              absl::StatusCode::kDataLoss)
        << Name(scope);
  }
}

TEST_F(MeasureTest, RightResultLeftByAnEarlierRunDoesNotCount) {
  LaterRuns(Behaviour::kNothing);
  for (const Scope scope : {Scope::kKernel, Scope::kCall}) {
    const absl::Status status = NewContender()->Time(scope, {}).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("never written"))
        << Name(scope);
  }
}

TEST_F(MeasureTest, ErrorOfTheImplementationIsReported) {
  LaterRuns(Behaviour::kError);
  for (const Scope scope : AllScopes()) {
    EXPECT_EQ(NewContender()->Time(scope, {}).status(),
              absl::InternalError("launch failed"));
  }
}

TEST_F(MeasureTest, ShortRunsShareASample) {
  SamplingPlan plan;
  plan.least_sample_seconds = 1e-3;
  absl::StatusOr<Timing> timing = NewContender(1)->Time(Scope::kKernel, plan);
  ASSERT_TRUE(timing.ok());
  EXPECT_GT(timing->runs_per_sample, 10);
  EXPECT_LT(timing->median, 1e-4);
}

TEST_F(MeasureTest, ContendersTakeTurns) {
  const auto first = NewContender();
  const auto second = NewContender();
  ASSERT_TRUE(first->Verify().ok() && second->Verify().ok());
  // Which of the two has run, from the order of the numbers of their runs.
  std::vector<int> runs;
  spec_.behave = [&](int run) {
    runs.push_back(run);
    return Behaviour::kRight;
  };
  SamplingPlan plan;
  plan.repetitions = 3;
  plan.least_sample_seconds = 0;
  for (const absl::StatusOr<Timing>& timing : Contender::TimeInTurns(
           {first.get(), second.get()}, Scope::kCall, plan)) {
    ASSERT_TRUE(timing.ok());
    EXPECT_EQ(timing->samples.size(), 3u);
  }
  EXPECT_THAT(runs, ElementsAre(1, 1, 2, 2, 3, 3));
}

TEST_F(MeasureTest, FailureOfOneContenderLeavesTheOthers) {
  const auto first = NewContender();
  const auto second = NewContender();
  ASSERT_TRUE(first->Verify().ok() && second->Verify().ok());
  int calls = 0;
  spec_.behave = [&](int) {
    return ++calls == 1 ? Behaviour::kError : Behaviour::kRight;
  };
  const std::vector<absl::StatusOr<Timing>> timings =
      Contender::TimeInTurns({first.get(), second.get()}, Scope::kCall, {});
  EXPECT_EQ(timings[0].status(), absl::InternalError("launch failed"));
  EXPECT_TRUE(timings[1].ok());
}

TEST_F(MeasureTest, SlowRunsAreCutShort) {
  LaterRuns(Behaviour::kSlow);
  SamplingPlan plan;
  plan.repetitions = 1000;
  plan.max_seconds = 0.05;
  absl::StatusOr<Timing> timing = NewContender()->Time(Scope::kCall, plan);
  ASSERT_TRUE(timing.ok());
  EXPECT_LE(timing->samples.size(), 3u);
  EXPECT_EQ(timing->runs_per_sample, 1);
  EXPECT_GE(timing->least, 0.02);

  plan.max_seconds = 0;
  timing = NewContender()->Time(Scope::kCall, plan);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->samples.size(), 1u);
}

TEST_F(MeasureTest, RepetitionsAreTheMostSamples) {
  SamplingPlan plan;
  plan.repetitions = 3;
  plan.max_seconds = 60;
  absl::StatusOr<Timing> timing = NewContender()->Time(Scope::kKernel, plan);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->samples.size(), 3u);
}

TEST_F(MeasureTest, ColdSamplesAreSingleRunsAfterAFlush) {
  SamplingPlan plan;
  plan.cache = Cache::kCold;
  plan.repetitions = 4;
  absl::StatusOr<Timing> timing = NewContender(1)->Time(Scope::kKernel, plan);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->runs_per_sample, 1);
  EXPECT_EQ(timing->samples.size(), 4u);
  // One more, which warms up the flush itself.
  EXPECT_EQ(backend_->bytes_copied_within, 5 * (std::int64_t{256} << 20));
}

TEST_F(MeasureTest, ColdContendersOfABackendShareAFlusher) {
  const auto first = NewContender(1);
  const auto second = NewContender(1);
  const auto of_first =
      std::exchange(backend_, std::make_shared<FakeBackend>());
  const auto elsewhere = NewContender(1);
  SamplingPlan plan;
  plan.cache = Cache::kCold;
  plan.repetitions = 4;
  for (const absl::StatusOr<Timing>& timing : Contender::TimeInTurns(
           {first.get(), elsewhere.get(), second.get()}, Scope::kCall, plan)) {
    ASSERT_TRUE(timing.ok());
  }
  // Before each sample, and once to warm up the flush of a backend.
  EXPECT_EQ(of_first->bytes_copied_within, 9 * (std::int64_t{256} << 20));
  EXPECT_EQ(backend_->bytes_copied_within, 5 * (std::int64_t{256} << 20));
}

TEST_F(MeasureTest, OnlyEndToEndRunsCopyTheirResults) {
  SamplingPlan plan;
  plan.repetitions = 5;
  plan.least_sample_seconds = 0;
  const auto contender = NewContender();
  ASSERT_TRUE(contender->Verify().ok());
  backend_->copies_to_host = 0;
  ASSERT_TRUE(contender->Time(Scope::kKernel, plan).ok());
  EXPECT_EQ(backend_->copies_to_host, 1);  // for the check at the end
  backend_->copies_to_host = 0;
  ASSERT_TRUE(contender->Time(Scope::kEndToEnd, plan).ok());
  EXPECT_EQ(backend_->copies_to_host, 5);
}

TEST_F(MeasureTest, OnlyPinnedRunsBeginInTheBackendsHostMemory) {
  const auto contender = NewContender(1000);
  ASSERT_TRUE(contender->Time(Scope::kEndToEnd, {}).ok());
  EXPECT_EQ(backend_->host_bytes_allocated, 0);
  ASSERT_TRUE(contender->Time(Scope::kEndToEndPinned, {}).ok());
  // The input and the output, once for all runs.
  EXPECT_EQ(backend_->host_bytes_allocated, 2 * 4000);
}

TEST_F(MeasureTest, WayFromHostMemoryIsTaken) {
  SamplingPlan plan;
  plan.repetitions = 5;
  plan.least_sample_seconds = 0;
  spec_.runs_from_host = 0;
  const auto contender = NewContender();
  ASSERT_TRUE(contender->Time(Scope::kKernel, plan).ok());
  ASSERT_TRUE(contender->Time(Scope::kCall, plan).ok());
  EXPECT_EQ(spec_.runs_from_host, 0);
  backend_->copies_to_host = 0;
  ASSERT_TRUE(contender->Time(Scope::kEndToEnd, plan).ok());
  EXPECT_EQ(spec_.runs_from_host, 5);
  ASSERT_TRUE(contender->Time(Scope::kEndToEndPinned, plan).ok());
  EXPECT_EQ(spec_.runs_from_host, 10);
  // The implementation's own affair.
  EXPECT_EQ(backend_->copies_to_host, 0);
}

TEST_F(MeasureTest, EachCallIsWaitedFor) {
  SamplingPlan plan;
  plan.repetitions = 5;
  plan.least_sample_seconds = 0;
  const auto contender = NewContender();
  ASSERT_TRUE(contender->Verify().ok());
  backend_->synchronizations = 0;
  ASSERT_TRUE(contender->Time(Scope::kCall, plan).ok());
  // Once before each sample and once in each call.
  EXPECT_EQ(backend_->synchronizations, 10);
}

TEST(CeilingsTest, FloorsThatHardlyWriteAreBoundByReading) {
  const Ceilings ceilings{/*copy=*/3, /*read=*/4};
  EXPECT_EQ(ceilings.For({1 << 20, 8}), 4);
  EXPECT_EQ(ceilings.For({1 << 20, 1 << 20}), 3);
  EXPECT_EQ(ceilings.For({1 << 20, 1 << 17}), 3);
  // Without a fill that was measured, the copy stands in for it.
  EXPECT_EQ(ceilings.For({0, 8}), 3);
}

TEST(CeilingsTest, FloorsThatHardlyReadAreBoundByFilling) {
  const Ceilings ceilings{/*copy=*/3, /*read=*/4, /*fill=*/5};
  EXPECT_EQ(ceilings.For({0, 8}), 5);
  EXPECT_EQ(ceilings.For({8, 1 << 20}), 5);
  EXPECT_EQ(ceilings.For({1 << 17, 1 << 20}), 3);
  EXPECT_EQ(ceilings.For({1 << 20, 1 << 20}), 3);
  EXPECT_EQ(ceilings.For({1 << 20, 8}), 4);
}

TEST(CeilingsTest, TheBetterOfTwoCountsForEachOfThem) {
  Ceilings best{/*copy=*/3, /*read=*/4, /*fill=*/0};
  best.RaiseTo({/*copy=*/2, /*read=*/6, /*fill=*/5});
  EXPECT_EQ(best.copy, 3);
  EXPECT_EQ(best.read, 6);
  EXPECT_EQ(best.fill, 5);
}

TEST(CeilingsTest, CopyIsOfWholeLinesWhateverTheFloor) {
  // The floor of a reduction of int32: all of the input and one element.
  const auto backend = std::make_shared<FakeBackend>();
  const std::vector<std::shared_ptr<Backend>> backends = {backend};
  ASSERT_TRUE(MeasureCeilings(backends, (1 << 20) + 4, {}).ok());
  EXPECT_GE(backend->bytes_of_last_copy, (1 << 19) + 2);
  EXPECT_EQ(backend->bytes_of_last_copy % 256, 0);
}

TEST(CeilingsTest, InputIsCopiedFromTheHostMemoryThatIsAskedFor) {
  for (const bool pinned : {false, true}) {
    FakeBackend backend;
    SamplingPlan plan;
    plan.repetitions = 3;
    plan.least_sample_seconds = 0;
    absl::StatusOr<double> seconds =
        MeasureInputCopy(backend, 1 << 20, pinned, plan);
    ASSERT_TRUE(seconds.ok());
    EXPECT_GT(*seconds, 0);
    // The first copy is not a sample.
    EXPECT_EQ(backend.bytes_copied_there, 4 << 20);
    EXPECT_EQ(backend.host_bytes_allocated, pinned ? 1 << 20 : 0);
  }
}

TEST(CeilingsTest, NoInputTakesNoTimeToCopy) {
  for (const bool pinned : {false, true}) {
    FakeBackend backend;
    const absl::StatusOr<double> seconds =
        MeasureInputCopy(backend, 0, pinned, {});
    ASSERT_TRUE(seconds.ok());
    EXPECT_EQ(*seconds, 0);
  }
}

TEST(CeilingsTest, BackendsThatShareAMemoryHaveOneCeiling) {
  const std::vector<std::shared_ptr<Backend>> backends = {
      std::make_shared<FakeBackend>(), std::make_shared<FakeBackend>()};
  absl::StatusOr<std::map<std::string, Ceilings>> ceilings =
      MeasureCeilings(backends, 1 << 20, {});
  ASSERT_TRUE(ceilings.ok());
  ASSERT_EQ(ceilings->size(), 1u);
  EXPECT_GT(ceilings->at("fake:0").copy, 0);
  EXPECT_GT(ceilings->at("fake:0").read, 0);
}

}  // namespace
}  // namespace concord
