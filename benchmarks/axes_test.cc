// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/axes.h"

#include <string>
#include <vector>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/session.h"
#include "concord/core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const Axes& axes, const FakeSpec& spec) {
  absl::StatusOr<std::vector<Row>> rows =
      Expand(axes, {&spec}, {"fake", "serial"}, /*seed=*/1);
  EXPECT_TRUE(rows.ok()) << rows.status();
  std::vector<std::string> names;
  for (const Row& row : *rows) names.push_back(row.name());
  return names;
}

TEST(AxesTest, EmptyListsStandForDefaults) {
  Axes axes;
  axes.sizes = {7};
  EXPECT_THAT(NamesOf(axes, FakeSpec()),
              ElementsAre("negate/fake/loop/int32/n:7/mode:plain/uniform/"
                          "kernel/hot"));
}

TEST(AxesTest, RowsOfOneCaseStandTogether) {
  Axes axes;
  axes.backends = {"fake:1", "fake"};
  axes.sizes = {7};
  axes.options = {"mode:fancy,t:5", ""};
  axes.scopes = {Scope::kKernel, Scope::kCall};
  EXPECT_THAT(
      NamesOf(axes, FakeSpec()),
      ElementsAre(
          "negate/fake:1/loop/int32/n:7/mode:fancy/t:5/uniform/kernel/hot",
          "negate/fake:1/loop/int32/n:7/mode:fancy/t:5/uniform/call/hot",
          "negate/fake/loop/int32/n:7/mode:fancy/t:5/uniform/kernel/hot",
          "negate/fake/loop/int32/n:7/mode:fancy/t:5/uniform/call/hot",
          "negate/fake:1/loop/int32/n:7/mode:plain/uniform/kernel/hot",
          "negate/fake:1/loop/int32/n:7/mode:plain/uniform/call/hot",
          "negate/fake/loop/int32/n:7/mode:plain/uniform/kernel/hot",
          "negate/fake/loop/int32/n:7/mode:plain/uniform/call/hot"));
}

class SpecWithTextAndSwitch : public FakeSpec {
 public:
  SpecWithTextAndSwitch() {
    set_options({OptionSpec::Text("range", "from and to", "all"),
                 OptionSpec::Switch("aloud", "says so")});
  }
};

TEST(AxesTest, ValuesMayHaveCommasAndSwitchesAreNamedWhenOn) {
  Axes axes;
  axes.sizes = {7};
  axes.options = {"range:between:1,5,aloud:yes", ""};
  EXPECT_THAT(
      NamesOf(axes, SpecWithTextAndSwitch()),
      ElementsAre("negate/fake/loop/int32/n:7/range:between:1,5/aloud/uniform/"
                  "kernel/hot",
                  "negate/fake/loop/int32/n:7/uniform/kernel/hot"));
}

TEST(AxesTest, WhatAContractExcludesHasNoRow) {
  Axes axes;
  axes.types = {kAllTypes};
  axes.sizes = {10, 6000};
  axes.options = {"all"};
  EXPECT_THAT(
      NamesOf(axes, FakeSpec()),
      ElementsAre("negate/fake/loop/int32/n:10/mode:plain/uniform/kernel/hot",
                  "negate/fake/loop/int32/n:10/mode:fancy/uniform/kernel/hot",
                  "negate/fake/loop/int64/n:10/mode:plain/uniform/kernel/hot",
                  "negate/fake/loop/int64/n:10/mode:fancy/uniform/kernel/hot"));
}

TEST(AxesTest, UnknownNamesAreRefused) {
  const FakeSpec spec;
  const auto message = [&spec](const Axes& axes) {
    return std::string(
        Expand(axes, {&spec}, {"fake"}, /*seed=*/1).status().message());
  };
  Axes axes;
  axes.sizes = {7};
  axes.algorithms = {"invert"};
  EXPECT_EQ(message(axes), "no algorithm 'invert'; there are negate");
  axes = Axes();
  axes.variants = {"tree"};
  EXPECT_EQ(message(axes), "no variant 'tree'; there are loop");
  axes = Axes();
  axes.backends = {"cuda:1"};
  EXPECT_EQ(message(axes), "no available backend 'cuda'; there are fake");
  axes = Axes();
  axes.sizes = {7};
  axes.types = {"int33"};
  EXPECT_THAT(message(axes), HasSubstr("int33"));
  axes.types = {};
  axes.options = {"mode:odd"};
  EXPECT_THAT(message(axes), HasSubstr("odd"));
}

TEST(SessionTest, RowCarriesSizeFloorAndCeilings) {
  FakeSpec spec;
  Axes axes;
  axes.sizes = {1000};
  absl::StatusOr<std::vector<Row>> rows =
      Expand(axes, {&spec}, {"fake"}, /*seed=*/1);
  ASSERT_TRUE(rows.ok());
  Session session(SamplingPlan(), *rows,
                  {{"fake", std::make_shared<FakeBackend>()}});
  absl::StatusOr<Measured> measured = session.Time(rows->front());
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_EQ(measured->elements, 1000);
  EXPECT_EQ(measured->floor.bytes(), 8000);
  EXPECT_GT(measured->ceilings.copy, 0);
}

// As a distribution that knows better than who asks for it.
class SpecThatSetsAnOption : public FakeSpec {
  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    ASSIGN_OR_RETURN(Case made, FakeSpec::MakeFrom(request));
    made.options["t"] = "7";
    return made;
  }
};

TEST(SessionTest, RowSaysWhichOptionsItsCaseSets) {
  const SpecThatSetsAnOption spec;
  for (const char* asked : {"", "t:7"}) {
    Axes axes;
    axes.sizes = {1000};
    axes.options = {asked};
    absl::StatusOr<std::vector<Row>> rows =
        Expand(axes, {&spec}, {"fake"}, /*seed=*/1);
    ASSERT_TRUE(rows.ok());
    Session session(SamplingPlan(), *rows,
                    {{"fake", std::make_shared<FakeBackend>()}});
    absl::StatusOr<Measured> measured = session.Time(rows->front());
    ASSERT_TRUE(measured.ok()) << measured.status();
    OptionMap set;
    if (*asked == '\0') set["t"] = "7";
    EXPECT_EQ(measured->case_options, set);
  }
}

TEST(SessionTest, FailedRowDoesNotSpoilTheNext) {
  FakeSpec spec;
  bool broken = true;
  spec.behave = [&broken](int) {
    return broken ? FakeSpec::Behaviour::kWrong : FakeSpec::Behaviour::kRight;
  };
  Axes axes;
  axes.sizes = {1000};
  axes.scopes = {Scope::kKernel, Scope::kCall};
  absl::StatusOr<std::vector<Row>> rows =
      Expand(axes, {&spec}, {"fake"}, /*seed=*/1);
  ASSERT_TRUE(rows.ok());
  Session session(SamplingPlan(), *rows,
                  {{"fake", std::make_shared<FakeBackend>()}});
  EXPECT_EQ(session.Time(rows->at(0)).status().code(),
            absl::StatusCode::kDataLoss);
  broken = false;
  EXPECT_TRUE(session.Time(rows->at(1)).ok());
}

// That the row of this name is found again by its name alone.
void ExpectFoundByName(const Axes& axes, const FakeSpec& spec) {
  for (const std::string& name : NamesOf(axes, spec)) {
    const absl::StatusOr<Axes> found = AxesOfRow(name);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(NamesOf(*found, spec), ElementsAre(name));
  }
}

TEST(AxesTest, NameOfARowTellsItsAxes) {
  Axes axes;
  axes.backends = {"fake:3"};
  axes.sizes = {7, 8};
  axes.options = {"mode:fancy,t:5", ""};
  axes.scopes = AllScopes();
  axes.caches = AllCaches();
  ExpectFoundByName(axes, FakeSpec());
  axes.options = {"range:1,5/2,aloud:yes", "range:1/2/3", "range:1/a/b:c",
                  "range:1/aloud,aloud:yes", ""};
  ExpectFoundByName(axes, SpecWithTextAndSwitch());
}

TEST(AxesTest, NamesOfNoRowAreRefused) {
  for (const char* name :
       {"", "negate", "negate/fake/loop/int32/7/uniform/kernel/hot",
        "negate/fake/loop/int32/n:0/uniform/kernel/hot",
        "negate/fake/loop/int32/n:7/uniform/kernel/warm",
        "negate/fake/loop/int32/n:x/uniform/kernel/hot"}) {
    EXPECT_THAT(AxesOfRow(name).status().message(),
                HasSubstr("no row is named"))
        << name;
  }
}

}  // namespace
}  // namespace concord
