// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/scaling.h"

#include <memory>
#include <string>
#include <vector>

#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

const bool kRegistered = RegisterBackend(
    {"fake", /*rank=*/0,
     [] {
       BackendStatus status;
       status.name = "fake";
       return status;
     },
     [](absl::string_view members) {
       return std::make_shared<FakeBackend>(std::string(members));
     }});

BackendStatus With(const char* name, const char* device) {
  BackendStatus status;
  status.name = name;
  status.devices = {{device, {}}};
  return status;
}

TEST(SpecsByMembersTest, GoFromOneMemberToAll) {
  const std::vector<BackendStatus> statuses = {With("tbb", "tbb:20"),
                                               With("gpus", "gpus:0+1+2"),
                                               With("mpi", "mpi:tbb:4")};
  EXPECT_THAT(SpecsByMembers("tbb", statuses),
              ElementsAre("tbb:1", "tbb:2", "tbb:3", "tbb:4", "tbb:6", "tbb:8",
                          "tbb:12", "tbb:16", "tbb:20"));
  EXPECT_THAT(SpecsByMembers("gpus", statuses),
              ElementsAre("gpus:0", "gpus:0+1", "gpus:0+1@striped",
                          "gpus:0+1+2", "gpus:0+1+2@striped"));
  EXPECT_THAT(SpecsByMembers("mpi", statuses), ElementsAre("mpi:tbb:1"));
  for (const char* all : {"tbb:1", "tbb:2", "tbb:3"}) {
    EXPECT_EQ(SpecsByMembers("tbb", {With("tbb", all)}).back(), all);
  }
}

TEST(SpecsByMembersTest, WhatIsAskedForOrAloneStandsForItself) {
  const std::vector<BackendStatus> statuses = {With("tbb", "tbb:4"),
                                               With("serial", "serial")};
  EXPECT_THAT(SpecsByMembers("tbb:2", statuses), ElementsAre("tbb:2"));
  EXPECT_THAT(SpecsByMembers("serial", statuses), ElementsAre("serial"));
}

TEST(MembersTest, AreThoseOfTheOutermostKind) {
  BackendInfo info;
  info.facts = {{"cpu", "one"}, {"threads", "3"}, {"ranks", "4"}};
  EXPECT_EQ(MembersOf(info), 4);
  info.facts.pop_back();
  EXPECT_EQ(MembersOf(info), 3);
  info.facts.pop_back();
  EXPECT_EQ(MembersOf(info), 1);
}

Axes AxesOf(Scaling scaling, std::vector<std::string> backends) {
  Axes axes;
  axes.scaling = scaling;
  axes.backends = std::move(backends);
  axes.sizes = {10};
  return axes;
}

// Two variants, of which "loop" is the default.
class TwoVariants : public FakeSpec {
 public:
  TwoVariants() { set_variants({{"scratch", -1}, {"loop", 0}}); }
};

// "backend/variant n < backend/variant n" of each row, and of that of one
// member.
std::vector<std::string> Related(const Axes& axes) {
  const TwoVariants spec;
  std::vector<Row> rows;
  const auto parts = ByMembers(axes);
  EXPECT_TRUE(parts.ok()) << parts.status();
  for (const Axes& part : *parts) {
    const auto expanded = Expand(part, {&spec}, {"fake"}, /*seed=*/1);
    EXPECT_TRUE(expanded.ok()) << expanded.status();
    rows.insert(rows.end(), expanded->begin(), expanded->end());
  }
  EXPECT_TRUE(FindMembers(rows).ok());
  std::vector<std::string> texts;
  for (const Row& row : rows) {
    std::string one = row.one_member;
    for (const Row& other : rows) {
      if (other.name() == one) {
        one = other.backend + "/" + other.implementation.variant + " " +
              std::to_string(other.request.size);
      }
    }
    texts.push_back(row.backend + "/" + row.implementation.variant + " " +
                    std::to_string(row.request.size) + " < " + one);
  }
  return texts;
}

TEST(ScalingTest, StrongRowsHaveOneSizeAndTheDefaultVariant) {
  EXPECT_THAT(Related(AxesOf(Scaling::kStrong, {"fake:1", "fake:3"})),
              ElementsAre("fake:1/loop 10 < fake:1/loop 10",
                          "fake:3/loop 10 < fake:1/loop 10"));
}

TEST(ScalingTest, WeakRowsHaveAsMuchForEachMember) {
  EXPECT_THAT(Related(AxesOf(Scaling::kWeak, {"fake:1", "fake:3"})),
              ElementsAre("fake:1/loop 10 < fake:1/loop 10",
                          "fake:3/loop 30 < fake:1/loop 10"));
}

TEST(ScalingTest, OtherVariantsAreMeasuredAgainstTheDefaultOfOneMember) {
  Axes axes = AxesOf(Scaling::kStrong, {"fake:1", "fake:2"});
  axes.variants = {"loop", "scratch"};
  EXPECT_THAT(Related(axes), ElementsAre("fake:1/scratch 10 < fake:1/loop 10",
                                         "fake:1/loop 10 < fake:1/loop 10",
                                         "fake:2/scratch 10 < fake:1/loop 10",
                                         "fake:2/loop 10 < fake:1/loop 10"));
  axes.variants = {"scratch"};
  EXPECT_THAT(Related(axes),
              ElementsAre("fake:1/scratch 10 < ", "fake:2/scratch 10 < "));
}

TEST(ScalingTest, WithoutOneMemberThereIsNothingToRelateTo) {
  EXPECT_THAT(Related(AxesOf(Scaling::kStrong, {"fake:2", "fake:4"})),
              ElementsAre("fake:2/loop 10 < ", "fake:4/loop 10 < "));
}

// A copy of two members is no ceiling of one.
TEST(ScalingTest, CeilingsAreThoseOfTheRowsOwnBackend) {
  const FakeSpec spec;
  auto rows = Expand(AxesOf(Scaling::kStrong, {"fake:1", "fake:2"}), {&spec},
                     {"fake"}, /*seed=*/1);
  ASSERT_TRUE(rows.ok());
  const auto one = std::make_shared<FakeBackend>("1");
  const auto two = std::make_shared<FakeBackend>("2");
  Session session(SamplingPlan(), *rows, {{"fake:1", one}, {"fake:2", two}});
  ASSERT_TRUE(session.Time(rows->at(0)).ok());
  EXPECT_GT(one->bytes_copied_within, 0);
  EXPECT_EQ(two->bytes_copied_within, 0);
  ASSERT_TRUE(session.Time(rows->at(1)).ok());
  EXPECT_GT(two->bytes_copied_within, 0);
}

}  // namespace
}  // namespace concord
