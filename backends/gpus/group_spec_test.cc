// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/gpus/group_spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

std::string NameOf(absl::string_view argument, int count = 4) {
  const absl::StatusOr<GroupSpec> spec = ParseGroupSpec(argument, count);
  return spec.ok() ? spec->name() : std::string(spec.status().message());
}

TEST(GroupSpec, NamesItsMembersAndItsLayout) {
  EXPECT_EQ(NameOf("0+1"), "gpus:0+1");
  EXPECT_EQ(NameOf("3"), "gpus:3");
  EXPECT_EQ(NameOf("0+0+0@striped"), "gpus:0+0+0@striped");
  EXPECT_EQ(NameOf("2+1@blocked"), "gpus:2+1");
}

TEST(GroupSpec, AllAndNothingStandForEveryDevice) {
  EXPECT_EQ(NameOf(""), "gpus:0+1+2+3");
  EXPECT_EQ(NameOf("all"), "gpus:0+1+2+3");
  EXPECT_EQ(NameOf("all@striped", 2), "gpus:0+1@striped");
  EXPECT_EQ(NameOf("@striped", 1), "gpus:0@striped");
}

TEST(GroupSpec, ShowsHowMembersAreJoined) {
  for (const char* wrong : {"0,1", "0+", "+", "-1", "x", "0 1"}) {
    EXPECT_EQ(ParseGroupSpec(wrong, 4).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(NameOf(wrong), HasSubstr("joined by +, as in gpus:0+1"));
  }
}

TEST(GroupSpec, RefusesOtherLayoutsAndTooManyMembers) {
  EXPECT_THAT(NameOf("0+1@cyclic"), HasSubstr("@blocked or @striped"));
  EXPECT_THAT(NameOf("0@"), HasSubstr("@blocked or @striped"));
  EXPECT_THAT(NameOf("0+0+0+0+0+0+0+0+0"), HasSubstr("8 members at most"));
}

}  // namespace
}  // namespace concord
