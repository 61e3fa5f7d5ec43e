// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/examiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/support/fake_algorithm.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

using testing::HasSubstr;

Trial TrialOf(Case test_case, int repetitions = 1) {
  Trial trial;
  trial.test_case = std::move(test_case);
  trial.backend = "inverted";
  trial.repetitions = repetitions;
  return trial;
}

// Runs the implementation, then lets `spoil` change the first element.
Fault Spoiled(std::function<float(float value, std::int64_t run)> spoil) {
  return {"spoiled", "is spoiled", 1, [spoil](const FaultyRun& run) {
            absl::Status status = run.runner.Run(run.inputs, run.outputs);
            if (!status.ok()) return status;
            const ArrayView place = run.outputs.at("out").Slice(0, 1);
            HostArray element(ElementType::kFloat32, {1});
            status = run.backend.Copy(place, element.view());
            if (!status.ok()) return status;
            float& value = *element.data<float>();
            value = spoil(value, run.number);
            return run.backend.Copy(element.view(), place);
          }};
}

std::optional<Failure> ExamineSpoiled(
    std::function<float(float value, std::int64_t run)> spoil,
    Determinism determinism, int repetitions) {
  const Fault fault = Spoiled(std::move(spoil));
  ImplementationInfo info = FakeImplementation("inverted");
  info.contract.determinism = determinism;
  Examiner examiner({&FakeSpec(), info, &fault});
  return examiner.Examine(
      TrialOf(FakeCase(std::vector<float>{1.5f, 2.5f, 7.25f}), repetitions));
}

float NextUp(float value, std::int64_t) { return value * (1 + 0x1p-23f); }
float NextUpInOddRuns(float value, std::int64_t run) {
  return run % 2 == 0 ? value : NextUp(value, run);
}
float Double(float value, std::int64_t) { return 2 * value; }

TEST(Examiner, RightImplementationsPass) {
  for (const Placement& placement : Placements()) {
    Examiner examiner({&FakeSpec(), FakeImplementation("inverted")});
    Trial trial = TrialOf(FakeCase(std::vector<float>{1.5f, 2.5f, 7.25f}), 3);
    trial.placement = placement.name;
    const auto failure = examiner.Examine(trial);
    EXPECT_FALSE(failure.has_value()) << failure->message;
  }
}

TEST(Examiner, ErrorsBeyondTheBoundAreWrong) {
  const auto failure = ExamineSpoiled(Double, Determinism::kNone, 1);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kValue);
  EXPECT_THAT(failure->message, HasSubstr("first [0]: 3 instead of 1.5"));
}

TEST(Examiner, OtherBitsThanTheReferenceBreakThatPromiseAlone) {
  EXPECT_FALSE(ExamineSpoiled(NextUp, Determinism::kNone, 3));
  EXPECT_FALSE(ExamineSpoiled(NextUp, Determinism::kRunToRun, 3));
  const auto failure =
      ExamineSpoiled(NextUp, Determinism::kBitwiseAcrossBackends, 3);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kReference);
  EXPECT_THAT(failure->message, HasSubstr("'out' versus the reference"));
}

TEST(Examiner, OtherBitsThanTheRunBeforeBreakThatPromiseAlone) {
  EXPECT_FALSE(ExamineSpoiled(NextUpInOddRuns, Determinism::kNone, 3));
  const auto failure =
      ExamineSpoiled(NextUpInOddRuns, Determinism::kRunToRun, 3);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kUnrepeatable);
  EXPECT_THAT(failure->message, HasSubstr("in run 2 versus run 1"));
}

TEST(Examiner, OtherBitsOnAnotherSpecBreakThatPromiseAlone) {
  const Fault fault = Spoiled(NextUpInOddRuns);
  ImplementationInfo info = FakeImplementation("inverted");
  Trial trial = TrialOf(FakeCase(std::vector<float>{1.5f, 2.5f, 7.25f}));
  trial.also_on = {"inverted"};
  info.contract.determinism = Determinism::kNone;
  EXPECT_FALSE(Examiner({&FakeSpec(), info, &fault}).Examine(trial));
  info.contract.determinism = Determinism::kRunToRun;
  const auto failure = Examiner({&FakeSpec(), info, &fault}).Examine(trial);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kUnrepeatable);
  EXPECT_THAT(failure->message, HasSubstr("on inverted versus inverted"));
}

TEST(Examiner, LawsAreCheckedOnTheImplementation) {
  Trial trial = TrialOf(FakeCase(std::vector<float>{1.5f, 2.5f, 7.25f}));
  trial.law = "prefix";
  Examiner right({&FakeSpec(), FakeImplementation("inverted")});
  EXPECT_FALSE(right.Examine(trial).has_value());
  const Fault fault = Spoiled(NextUpInOddRuns);
  Examiner wrong({&FakeSpec(), FakeImplementation("inverted"), &fault});
  const auto failure = wrong.Examine(trial);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kLaw);
  EXPECT_EQ(failure->message,
            "the result of a prefix is a prefix of the result: it is not");
}

TEST(Examiner, ErrorsOfTheImplementationAreFailures) {
  const Fault fault = {"refuses", "refuses", 0, [](const FaultyRun&) {
                         return absl::UnimplementedError("not today");
                       }};
  Examiner examiner({&FakeSpec(), FakeImplementation("inverted"), &fault});
  const auto failure =
      examiner.Examine(TrialOf(FakeCase(std::vector<std::int32_t>{})));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kStatus);
  EXPECT_THAT(failure->message, HasSubstr("not today"));
}

TEST(Examiner, WhatAnotherReplicaLacksIsNoFailureOfTheSpec) {
  OneOfTwo second;
  for (const absl::Status& fails :
       {absl::ResourceExhaustedError("no memory there"),
        absl::DeadlineExceededError("another rank has not come")}) {
    second.first_fails = fails;
    Examiner examiner({&FakeSpec(), FakeImplementation("inverted")});
    const auto failure =
        examiner.Examine(TrialOf(FakeCase(std::vector<std::int32_t>{1})));
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->kind, FailureKind::kStatus);
    EXPECT_THAT(failure->message, HasSubstr(std::string(fails.message())));
  }
}

// Whatever the element is, a planted fault changes it so far that it shows.
TEST(PlantedFaults, ShowInEveryElement) {
  const std::vector<Fault>& faults = PlantedFaults();
  const auto fault = std::find_if(
      faults.begin(), faults.end(),
      [](const Fault& fault) { return fault.name == "off_in_one_element"; });
  ASSERT_NE(fault, faults.end());
  for (const float value : {-0.5f, -0.0f, 0.0f, 0.5f, -1.0f, 1.0f, -3e38f}) {
    Examiner examiner({&FakeSpec(), FakeImplementation("inverted"), &*fault});
    const auto failure =
        examiner.Examine(TrialOf(FakeCase(std::vector<float>{value})));
    ASSERT_TRUE(failure.has_value()) << value;
    EXPECT_EQ(failure->kind, FailureKind::kValue);
  }
}

// The same spec, but for what it says of NaNs.
class SpecWhoseNansHaveBits : public AlgorithmSpec {
 public:
  const Algorithm& algorithm() const override { return FakeSpec().algorithm(); }
  std::string name() const override { return FakeSpec().name(); }
  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    return FakeSpec().Expected(test_case);
  }
  bool nans_have_bits() const override { return true; }
};

TEST(PlantedFaults, OtherNansShowWhereNansHaveBits) {
  const SpecWhoseNansHaveBits with_bits;
  const ImplementationInfo info = FakeImplementation("inverted");
  const Trial trial = TrialOf(FakeCase(
      std::vector<float>{1.5f, std::numeric_limits<float>::quiet_NaN(), 2.5f},
      7));
  EXPECT_FALSE(Examiner({&FakeSpec(), info, &FaultOfNans()}).Examine(trial));
  EXPECT_FALSE(Examiner({&with_bits, info}).Examine(trial));
  const auto failure =
      Examiner({&with_bits, info, &FaultOfNans()}).Examine(trial);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kValue);
  EXPECT_THAT(failure->message, HasSubstr("first [1]: nan:ffc00000 instead of "
                                          "nan:7fc00000"));
}

TEST(PlantedFaults, OtherNansOfLaterRunsShowWhereNansHaveBits) {
  const SpecWhoseNansHaveBits with_bits;
  ImplementationInfo info = FakeImplementation("inverted");
  const Fault fault = {"in_odd_runs", "gives other NaNs in odd runs", 1,
                       [](const FaultyRun& run) {
                         return run.number % 2 == 0
                                    ? run.runner.Run(run.inputs, run.outputs)
                                    : FaultOfNans().run(run);
                       }};
  const Trial trial = TrialOf(
      FakeCase(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}), 2);
  EXPECT_FALSE(Examiner({&FakeSpec(), info, &fault}).Examine(trial));
  EXPECT_TRUE(Examiner({&with_bits, info, &fault}).Examine(trial));
}

// Shrinking tries such cases; nothing but OutputsOf may ever see them.
TEST(Examiner, CasesThatBreakTheRulesAreFailuresOfTheSpec) {
  Examiner examiner({&FakeSpec(), FakeImplementation("inverted")});
  Trial trial = TrialOf(FakeCase(std::vector<std::int32_t>{1}));
  trial.test_case.inputs.clear();
  const auto failure = examiner.Examine(trial);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::kSpec);
  EXPECT_THAT(failure->message, HasSubstr("is not given"));
}

TEST(Examiner, UnknownLawsPlacementsAndBackendsAreFailures) {
  Examiner examiner({&FakeSpec(), FakeImplementation("inverted")});
  const Trial good = TrialOf(FakeCase(std::vector<std::int32_t>{1}));
  Trial trial = good;
  trial.law = "gravity";
  EXPECT_EQ(examiner.Examine(trial)->kind, FailureKind::kSpec);
  trial = good;
  trial.placement = "sideways";
  EXPECT_EQ(examiner.Examine(trial)->kind, FailureKind::kSpec);
  trial = good;
  trial.backend = "abacus";
  EXPECT_EQ(examiner.Examine(trial)->kind, FailureKind::kStatus);
  EXPECT_FALSE(examiner.IsUsable("abacus"));
  EXPECT_TRUE(examiner.IsUsable("inverted"));
}

}  // namespace
}  // namespace concord
