// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Plans of programs that are as large as programs can be.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/long_function.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/run_by_plan.h"
#include "concord/algorithms/sequence/run_program.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

// A program on columns of 10 elements, with results.
void ExpectBitsOfTheProgram(const std::string& text) {
  SCOPED_TRACE(text.substr(0, 200));
  const absl::StatusOr<Program> program =
      Program::Parse(text, RandomProgramColumns());
  ASSERT_TRUE(program.ok()) << program.status();
  const RandomColumns columns(1, 10);
  const absl::StatusOr<std::vector<Tuple>> wanted =
      RunProgram(*program, columns.views());
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  for (const Fusion fusion : kFusions) {
    const absl::StatusOr<std::vector<Tuple>> given =
        RunByPlan(*program, columns.views(), fusion);
    ASSERT_TRUE(given.ok()) << given.status();
    EXPECT_EQ(*given, *wanted);
  }
}

// Functions that leave no room for what goes with them in a pass.
TEST(PlanLimits, StoresWhatALargeFunctionLeavesNoRoomFor) {
  const std::string many = LongFunction("x", "(x + 1)", 4091, " < 0");
  for (const std::string& text : {
           // Whether the element is the last of its group,
           absl::StrCat("group_reduce x by a, b -> ",
                        LongFunction("a", "b", 4088), " from 3 unchecked"),
           // elements that a filter does not look at,
           absl::StrCat("zip x w |> filter x, y -> ", many),
           // a choice between 1 and 0,
           absl::StrCat("filter ", many, " |> count"),
           // where a slice begins,
           absl::StrCat("map ", LongFunction("x", "int32(i)", 4093),
                        " |> slice 1, 3"),
           // one NaN for all,
           absl::StrCat("z |> sort_by ", LongFunction("x", "(x + 1)", 4093)),
           // and elements that a key does not look at.
           absl::StrCat("zip x w |> group_reduce u, v -> ",
                        LongFunction("u", "x[(u & 7)]", 4091),
                        " by (a, b), (c, d) -> (a + c, b + d)"),
       }) {
    ExpectBitsOfTheProgram(text);
  }
}

TEST(PlanLimits, SlicesOfSlicesMayBeginAtTheLargestNumber) {
  ExpectBitsOfTheProgram("slice 9223372036854775807, 1 |> slice 1, 1");
  ExpectBitsOfTheProgram("slice 1, 9 |> slice 9223372036854775807, 1");
  ExpectBitsOfTheProgram(
      "map x + int32(i) |> slice 9223372036854775807, 1 |> slice 2, 1 |> "
      "sort_by -x |> slice 9223372036854775807, 9");
}

TEST(PlanLimits, LeavesRoomForTheStartInAnEpilogue) {
  const Plan plan = PlanOf(absl::StrCat(
      "reduce a, b -> ", LongFunction("a", "b", 4000),
      " from 3 unchecked |> map ", LongFunction("x", "(x + 1)", 200)));
  int checked = 0;
  for (const Pass& pass : plan.passes) {
    if (!pass.op.has_value()) continue;
    ++checked;
    const auto from_start =
        EpilogueFromStart(*pass.op, pass.start, pass.epilogue);
    EXPECT_TRUE(from_start.ok()) << from_start.status();
  }
  EXPECT_GT(checked, 0);
}

// There are 2^100 ways from the last one to the filter.
TEST(PlanLimits, TakesNoLongerWhereSequencesAreConcatenatedManyTimes) {
  std::string text = "s0 = filter x >= 0 |> take 3; ";
  for (int k = 1; k <= 100; ++k) {
    absl::StrAppend(&text, "s", k, " = concat s", k - 1, " s", k - 1,
                    " |> take 3; ");
  }
  absl::StrAppend(&text, "s100");
  ExpectBitsOfTheProgram(text);
  const std::vector<PassSummary> passes =
      Summarize(PlanOf(text), RandomProgramColumns(), {100, 100, 100, 100});
  EXPECT_EQ(passes.back().elements, 3);
  EXPECT_TRUE(passes.back().at_most);
}

}  // namespace
}  // namespace concord::sequence
