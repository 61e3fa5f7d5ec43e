// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "concord/testing/engine/described_spec.h"
#include "concord/testing/support/fake_algorithm.h"

namespace concord {
namespace {

using Values = std::vector<std::int32_t>;

// Fails, as a wrong value, exactly when `bad` says so about the input.
std::function<std::optional<Failure>(const Trial&)> FailsWhen(
    std::function<bool(absl::Span<const std::int32_t>)> bad) {
  return [bad](const Trial& trial) -> std::optional<Failure> {
    if (!bad(trial.test_case.inputs.at("in").span<std::int32_t>())) {
      return std::nullopt;
    }
    return Failure{FailureKind::kValue, "bad"};
  };
}

Trial Start(std::int64_t size) {
  Values values(size);
  std::iota(values.begin(), values.end(), 1000);
  Trial trial;
  trial.test_case = FakeCase(values, /*lag=*/7);
  trial.placement = "in_place_unaligned";
  trial.backend = "serial";
  trial.repetitions = 4;
  trial.also_on = {"tbb:1", "tbb:3"};
  return trial;
}

Shrunk ShrinkFrom(
    const Trial& trial,
    const std::function<std::optional<Failure>(const Trial&)>& examine,
    const ShrinkLimits& limits = {}) {
  return Shrink(FakeSpec(), trial, *examine(trial), examine, limits);
}

Values Left(const Shrunk& shrunk) {
  const auto left = shrunk.trial.test_case.inputs.at("in").span<std::int32_t>();
  return {left.begin(), left.end()};
}

TEST(Shrink, LeavesTwoElementsThatFailTogether) {
  const Shrunk shrunk =
      ShrinkFrom(Start(1000), FailsWhen([](auto values) {
                   return std::count(values.begin(), values.end(), 1100) > 0 &&
                          std::count(values.begin(), values.end(), 1900) > 0;
                 }));
  EXPECT_EQ(Left(shrunk), (Values{1100, 1900}));
  EXPECT_TRUE(shrunk.minimal);
}

TEST(Shrink, FindsTheSmallestSizeThatFails) {
  const Shrunk shrunk =
      ShrinkFrom(Start(100'000),
                 FailsWhen([](auto values) { return values.size() > 65'536; }),
                 {/*attempts=*/300, /*seconds=*/60});
  EXPECT_EQ(Left(shrunk).size(), 65'537);
}

// A long case that cannot become shorter still gets simple values.
TEST(Shrink, DoesNotSpendEverythingOnLength) {
  const Shrunk shrunk =
      ShrinkFrom(Start(70'000), FailsWhen([](auto values) {
                   return values.size() > 65'536 && values[40'000] != 0;
                 }),
                 {/*attempts=*/2000, /*seconds=*/60});
  const Values left = Left(shrunk);
  EXPECT_EQ(left.size(), 65'537);
  EXPECT_LT(std::count_if(left.begin(), left.end(),
                          [](std::int32_t value) { return value != 0; }),
            512);
}

TEST(Shrink, MakesValuesSmall) {
  const Shrunk shrunk =
      ShrinkFrom(Start(50), FailsWhen([](auto values) {
                   return values.size() >= 3 && values[1] >= 100;
                 }));
  ASSERT_EQ(Left(shrunk).size(), 3);
  EXPECT_EQ(Left(shrunk)[0], 0);
  EXPECT_GE(Left(shrunk)[1], 100);
  EXPECT_LT(Left(shrunk)[1], 200);
  EXPECT_EQ(Left(shrunk)[2], 0);
}

TEST(Shrink, SimplifiesOptionsPlacementAndRepetitions) {
  const Shrunk shrunk = ShrinkFrom(
      Start(5), FailsWhen([](auto values) { return !values.empty(); }));
  EXPECT_EQ(shrunk.trial.test_case.options.at("lag"), "1");
  EXPECT_EQ(shrunk.trial.placement, "aligned");
  EXPECT_EQ(shrunk.trial.repetitions, 1);
  EXPECT_TRUE(shrunk.trial.also_on.empty());
  EXPECT_EQ(Left(shrunk), Values{0});
}

TEST(Shrink, KeepsWhatTheFailureNeeds) {
  const auto examine = [](const Trial& trial) -> std::optional<Failure> {
    if (NumberOption(trial.test_case.options, "lag") >= 3 &&
        trial.placement == "in_place_unaligned" && trial.repetitions >= 2 &&
        trial.also_on.size() >= 1 && trial.also_on.back() == "tbb:3") {
      return Failure{FailureKind::kGuard, "bad"};
    }
    return std::nullopt;
  };
  const Shrunk shrunk = ShrinkFrom(Start(5), examine);
  EXPECT_EQ(shrunk.trial.test_case.options.at("lag"), "3");
  EXPECT_EQ(shrunk.trial.placement, "in_place_unaligned");
  EXPECT_EQ(shrunk.trial.repetitions, 2);
  EXPECT_EQ(shrunk.trial.also_on, std::vector<std::string>{"tbb:3"});
  EXPECT_EQ(Left(shrunk), Values{});
}

TEST(Shrink, DoesNotSlipToAnotherFailure) {
  const auto examine = [](const Trial& trial) -> std::optional<Failure> {
    const std::int64_t size = trial.test_case.inputs.at("in").size();
    return Failure{size >= 10 ? FailureKind::kValue : FailureKind::kStatus,
                   "bad"};
  };
  EXPECT_EQ(Left(ShrinkFrom(Start(100), examine)).size(), 10);
}

TEST(Shrink, DoesNotSlipToAnotherError) {
  const auto examine = [](const Trial& trial) -> std::optional<Failure> {
    const std::int64_t size = trial.test_case.inputs.at("in").size();
    return Failure{FailureKind::kStatus, "bad",
                   size >= 10 ? absl::StatusCode::kInternal
                              : absl::StatusCode::kInvalidArgument};
  };
  const Shrunk shrunk = ShrinkFrom(Start(100), examine);
  EXPECT_EQ(Left(shrunk).size(), 10);
  EXPECT_EQ(shrunk.failure.code, absl::StatusCode::kInternal);
}

TEST(Shrink, KeepsNumbersMultiplesOfTheirStep) {
  Description description;
  description.name = "blocks";
  description.inputs = {{"in", {ElementType::kInt32}, {"n"}, {}, {}, ""}};
  description.options = {{OptionSpec::Number("block", "", 64, 40, 1024, 32),
                          /*values=*/{}}};
  const auto spec = *DescribedSpec::Create(std::move(description));
  const auto examine = [](const Trial& trial) -> std::optional<Failure> {
    const std::int64_t block = NumberOption(trial.test_case.options, "block");
    EXPECT_GE(block, 64);
    EXPECT_EQ(block % 32, 0);
    if (block < 200) return std::nullopt;
    return Failure{FailureKind::kStatus, "bad"};
  };
  Trial trial = Start(0);
  trial.test_case.options = {{"block", "992"}};
  const Shrunk shrunk = Shrink(*spec, trial, *examine(trial), examine);
  EXPECT_EQ(shrunk.trial.test_case.options.at("block"), "224");
  EXPECT_TRUE(shrunk.minimal);
}

TEST(Shrink, StopsWhenItIsTold) {
  const auto examine = FailsWhen([](auto) { return true; });
  int asked = 0;
  ShrinkLimits limits;
  limits.stopped = [&] { return ++asked > 3; };
  const Shrunk shrunk = ShrinkFrom(Start(1000), examine, limits);
  EXPECT_FALSE(shrunk.minimal);
  EXPECT_LE(shrunk.attempts, 3);
}

TEST(Shrink, StopsAtItsLimit) {
  const Shrunk shrunk = ShrinkFrom(
      Start(1000), FailsWhen([](auto values) { return values.size() >= 501; }),
      {/*attempts=*/5, /*seconds=*/60});
  EXPECT_FALSE(shrunk.minimal);
  EXPECT_EQ(shrunk.attempts, 5);
}

TEST(Shrink, StopsSoonerWhenTheCaseIsSmallEnough) {
  const auto examine =
      FailsWhen([](auto values) { return values.size() >= 3; });
  ShrinkLimits limits;
  limits.small_size = 10;
  // As many attempts as it takes to get there, and no more.
  const Shrunk small = ShrinkFrom(Start(1000), examine, limits);
  EXPECT_LE(Left(small).size(), 10u);
  EXPECT_FALSE(small.minimal);
  // One that is small from the start gets the attempts that it is due.
  limits.attempts_when_small = 4;
  EXPECT_EQ(ShrinkFrom(Start(9), examine, limits).attempts, 4);
}

TEST(Shrink, TheRequestNoLongerDescribesASmallerCase) {
  Trial trial = Start(100);
  trial.request = CaseRequest();
  const Shrunk shrunk =
      ShrinkFrom(trial, FailsWhen([](auto values) { return !values.empty(); }));
  EXPECT_FALSE(shrunk.trial.request.has_value());
  EXPECT_EQ(shrunk.trial.test_case.label, "shrunk from by hand");
}

}  // namespace
}  // namespace concord
