// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/sizes.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

using ::testing::HasSubstr;

// Of the result of a program on x and y of these sizes.
std::string SizeOf(const std::string& text, std::int64_t x, std::int64_t y) {
  const absl::StatusOr<Program> program = Program::Parse(
      text, {{"x", expression::Type::kInt32}, {"y", expression::Type::kInt32}});
  EXPECT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<std::vector<KnownSize>> known =
      KnownSizes(*program, {x, y});
  if (!known.ok()) return std::string(known.status().message());
  return absl::StrCat(known->back().exact ? "" : "at most ",
                      known->back().most);
}

TEST(KnownSizes, FollowFromColumns) {
  EXPECT_EQ(SizeOf("map x + 1 |> scan a + b", 7, 3), "7");
  EXPECT_EQ(SizeOf("tabulate i, 12", 7, 3), "12");
  EXPECT_EQ(SizeOf("reduce a + b", 7, 3), "1");
  EXPECT_EQ(SizeOf("filter x > 0 |> count", 7, 3), "1");
  EXPECT_EQ(SizeOf("concat x y", 7, 3), "10");
  EXPECT_EQ(SizeOf("slice 2, 3", 7, 3), "3");
  EXPECT_EQ(SizeOf("slice 5, 3", 7, 3), "2");
  EXPECT_EQ(SizeOf("slice 8, 3", 7, 3), "0");
}

TEST(KnownSizes, FiltersGiveABound) {
  EXPECT_EQ(SizeOf("filter x > 0", 7, 3), "at most 7");
  EXPECT_EQ(SizeOf("filter x > 0", 0, 3), "0");
  EXPECT_EQ(SizeOf("filter x > 0 |> take 5", 7, 3), "at most 5");
  EXPECT_EQ(SizeOf("filter x > 0 |> slice 4, 5", 7, 3), "at most 3");
  EXPECT_EQ(SizeOf("filter x > 0 |> slice 7, 5", 7, 3), "0");
  EXPECT_EQ(SizeOf("s = filter x > 0; concat s y", 7, 3), "at most 10");
}

TEST(KnownSizes, OfWhatIsZippedOneIsEnough) {
  EXPECT_EQ(SizeOf("s = filter x > 0; zip s y", 7, 3), "3");
  EXPECT_EQ(SizeOf("s = filter x > 0; zip y s", 2, 3), "3");
  EXPECT_EQ(SizeOf("s = filter x > 0; t = y |> filter x > 0; zip s t", 7, 3),
            "at most 3");
  EXPECT_THAT(SizeOf("zip x y", 7, 3), HasSubstr("zip of 7 and 3 elements"));
  EXPECT_THAT(SizeOf("s = filter x > 0; zip x s y", 7, 3),
              HasSubstr("zip of 7 and 3 elements"));
}

TEST(KnownSizes, ThatCannotBeCountedAreRefused) {
  constexpr char kMost[] = "there are at most 4611686018427387904";
  EXPECT_THAT(SizeOf("tabulate i, 9223372036854775807 |> reduce a + b", 1, 1),
              HasSubstr(kMost));
  EXPECT_THAT(SizeOf("tabulate i, 4611686018427387905 |> take 3", 1, 1),
              HasSubstr(kMost));
  EXPECT_EQ(SizeOf("tabulate i, 4611686018427387904 |> count", 1, 1), "1");
  EXPECT_THAT(
      SizeOf("s = tabulate int32(i), 4611686018427387904; concat s y", 1, 1),
      HasSubstr(kMost));
  EXPECT_THAT(SizeOf("s = tabulate i, 4611686018427387904; concat s s s", 1, 1),
              HasSubstr(kMost));
}

// A column that is named and not used moves no bytes.
TEST(ColumnsRead, AreThoseThatTheResultIsMadeFrom) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const auto read = [](const std::string& text) {
    return ColumnsRead(
        *Program::Parse(text, {{"x", expression::Type::kInt32},
                               {"y", expression::Type::kInt32},
                               {"z", expression::Type::kInt32}}));
  };
  EXPECT_THAT(read("map x + 1"), ElementsAre(0));
  EXPECT_THAT(read("y |> map v -> v + 1"), ElementsAre(1));
  EXPECT_THAT(read("zip z x |> map (p, q) -> p + q"), ElementsAre(0, 2));
  EXPECT_THAT(read("map z[x]"), ElementsAre(0, 2));
  EXPECT_THAT(read("tabulate 2 * i, 1000"), IsEmpty());
}

}  // namespace
}  // namespace concord::sequence
