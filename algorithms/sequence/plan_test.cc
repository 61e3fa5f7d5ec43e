// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/plan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/run_by_plan.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

using expression::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Now and then few, or y shorter than the others.
RandomColumns ColumnsFor(std::uint64_t seed) {
  Random random(seed);
  const auto size = static_cast<std::int64_t>(
      random.Below(4) == 0 ? random.Below(6) : 100 + random.Below(300));
  RandomColumns columns(seed, size);
  if (random.Below(8) == 0) columns.y.resize(5);
  return columns;
}

TEST(Plan, GivesTheBitsOfTheProgram) {
  int right = 0, outside = 0, invalid = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const std::string text = RandomProgram(seed);
    absl::StatusOr<Program> program =
        Program::Parse(text, RandomProgramColumns());
    ASSERT_TRUE(program.ok()) << text << program.status();
    const RandomColumns columns = ColumnsFor(seed);
    const absl::StatusOr<std::vector<Tuple>> wanted =
        RunProgram(*program, columns.views());
    right += wanted.ok() ? 1 : 0;
    outside += absl::IsOutOfRange(wanted.status()) ? 1 : 0;
    invalid += absl::IsInvalidArgument(wanted.status()) ? 1 : 0;
    for (const Fusion fusion : kFusions) {
      const absl::StatusOr<std::vector<Tuple>> given =
          RunByPlan(*program, columns.views(), fusion);
      ASSERT_EQ(given.status(), wanted.status()) << seed << "\n" << text;
      if (wanted.ok()) {
        ASSERT_EQ(*given, *wanted) << seed << "\n" << text;
      }
    }
  }
  EXPECT_GT(right, 2000);
  EXPECT_GT(outside, 100);
  EXPECT_GT(invalid, 100);
}

// An element of x is read outside, whether or not anything comes of it.
TEST(Plan, MakesReadsOfWhichNothingComes) {
  for (const char* text : {
           // Both sides of the choice are one value,
           "zip x x |> map v, w -> x[i + 9] > 0 ? v : w",
           "map v -> (v, v) |> map v, w -> x[i + 9] > 0 ? v : w",
           "zip x x x |> map u, v, w -> x[x[i + 9]] > 0 ? u & v < w : w < u",
           "zip x x |> filter v, w -> x[i + 9] > 0 ? v < 1 : w < 1",
           "zip x x |> sort_by v, w -> x[i + 9] > 0 ? v : w",
           "zip x x |> histogram v, w -> x[i + 9] > 0 ? v : w",
           "zip x x |> group_reduce v, w -> x[i + 9] > 0 ? v : w by (a, b), "
           "(c, d) -> (a + c, b + d) unchecked",
           "s = scan a + b; zip s s |> map v, w -> x[i + 9] > 0 ? v : w",
           // also of its first elements,
           "zip x x |> map v, w -> x[i + 9] > 0 ? v : w |> slice 1, 2",
           // or turn out to be one when functions are put together.
           "map v -> (v + 1, v + 3) |> map v, w -> x[i + 9] > 0 ? v + 2 : w",
           "map v -> (v + 1, v + 3) |> filter v, w -> x[i + 9] > 0 ? v + 2 < 5 "
           ": w < 5 |> count",
           "map v -> (v + 1, v + 3) |> map v, w -> x[i + 9] > 0 ? v + 2 : w |> "
           "reduce a + b",
           "map v -> (v + 1, v + 3) |> sort_by v, w -> x[i + 9] > 0 ? v + 2 : "
           "w",
       }) {
    absl::StatusOr<Program> program =
        Program::Parse(text, RandomProgramColumns());
    ASSERT_TRUE(program.ok()) << text << program.status();
    const RandomColumns columns(1, 10);
    const absl::Status wanted = RunProgram(*program, columns.views()).status();
    EXPECT_TRUE(absl::IsOutOfRange(wanted)) << text << wanted;
    for (const Fusion fusion : kFusions) {
      EXPECT_EQ(RunByPlan(*program, columns.views(), fusion).status(), wanted)
          << text;
    }
  }
}

using Kinds = std::vector<Pass::Kind>;

Kinds KindsOf(absl::string_view text, Fusion fusion = Fusion::kAll) {
  Kinds kinds;
  for (const Pass& pass : PlanOf(text, fusion).passes) {
    kinds.push_back(pass.kind);
  }
  return kinds;
}

constexpr Pass::Kind kMap = Pass::Kind::kMap;
constexpr Pass::Kind kFilter = Pass::Kind::kFilter;
constexpr Pass::Kind kReduce = Pass::Kind::kReduce;
constexpr Pass::Kind kScan = Pass::Kind::kScan;
constexpr Pass::Kind kCount = Pass::Kind::kCount;
constexpr Pass::Kind kSort = Pass::Kind::kSort;

TEST(Plan, FusesWhatChangesNoBits) {
  EXPECT_EQ(KindsOf("map 2 * x |> map x + 1 |> reduce a + b"), Kinds{kReduce});
  EXPECT_EQ(KindsOf("zip x w |> map int64(x) * y |> reduce a + b |> map x + 1"),
            Kinds{kReduce});
  EXPECT_EQ(KindsOf("filter x > 3 |> map x * x |> reduce a + b"),
            Kinds{kReduce});
  EXPECT_EQ(KindsOf("filter x > 3 |> count"), Kinds{kReduce});
  EXPECT_EQ(KindsOf("map x + 1 |> scan a + b |> map x * 2"), Kinds{kScan});
  EXPECT_EQ(KindsOf("map x + 1 |> filter x > 3 |> filter x < 9 |> map -x"),
            Kinds{kFilter});
  EXPECT_EQ(KindsOf("tabulate i, 9 |> map x * i |> slice 2, 3 |> map x + i"),
            Kinds{kMap});
  EXPECT_EQ(KindsOf("a = map x + 1; concat a x a"), (Kinds{kMap, kMap, kMap}));
  EXPECT_EQ(KindsOf("sums = scan a + b; lows = sums |> scan_before min(a, b); "
                    "zip sums lows |> map x - y |> reduce max(a, b)"),
            (Kinds{kScan, kScan, kReduce}));
}

TEST(Plan, StoresWhereFusionWouldChangeBitsOrErrors) {
  // The tree of a sum of floats goes by what is left.
  EXPECT_EQ(KindsOf("z |> filter x > 0 |> reduce a + b"),
            (Kinds{kFilter, kReduce}));
  EXPECT_EQ(KindsOf("filter x > 0 |> map x + int32(i)"),
            (Kinds{kFilter, kMap}));
  EXPECT_EQ(KindsOf("filter x >= 0 |> map v -> x[v] |> reduce a + b"),
            (Kinds{kFilter, kReduce}));
  // All elements are read, though they may be too many for zip.
  EXPECT_EQ(KindsOf("a = map v -> x[v]; zip a w"), (Kinds{kMap, kMap}));
  // All elements are read, though one result is wanted.
  EXPECT_EQ(KindsOf("map v -> x[v] |> take 1"), (Kinds{kMap, kMap}));
  // Of 3, the choice is 5, and the read stays.
  const Plan chosen =
      PlanOf("tabulate int32(3), 9 |> map v -> v < 2 ? x[i] : 5");
  ASSERT_EQ(chosen.passes.size(), 1u);
  EXPECT_EQ(chosen.passes[0].reads.size(), 1u);
  const Plan plan = PlanOf("map v -> (x[v], v) |> map x, y -> y");
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0].outputs.size(), 2u);
}

TEST(Plan, StoresWhatIsReadTwiceIfItIsNotCheap) {
  EXPECT_EQ(KindsOf("a = map x * 2; b = a |> reduce a + b; "
                    "c = a |> reduce max(a, b); zip b c"),
            (Kinds{kReduce, kReduce}));
  EXPECT_EQ(KindsOf("a = zip x w |> map int64(x) * y; b = a |> reduce a + b; "
                    "c = a |> reduce max(a, b); concat b c"),
            (Kinds{kMap, kReduce, kReduce, kMap, kMap}));
}

TEST(Plan, ReadsSortedElementsWhereTheyLie) {
  EXPECT_EQ(KindsOf("sort_by x"), Kinds{kSort});
  EXPECT_EQ(KindsOf("sort_by -x"), (Kinds{kMap, kSort, kMap}));
  // Another NaN than the quiet one is one of the keys.
  EXPECT_EQ(KindsOf("z |> sort_by x"), (Kinds{kMap, kSort}));
  EXPECT_EQ(KindsOf("zip x w |> map int64(x) + y |> sort_by i |> take 9 |> "
                    "reduce a + b"),
            (Kinds{kMap, kSort, kReduce}));
  EXPECT_EQ(KindsOf("histogram x"), (Kinds{kSort, kCount, kFilter, kMap}));
  EXPECT_EQ(KindsOf("zip x w |> group_reduce (x, y) by a + b |> map x, y -> y "
                    "|> reduce a + b"),
            (Kinds{kSort, kScan, kCount, kReduce}));
  // All elements are read, in their order.
  EXPECT_EQ(KindsOf("map v -> x[v] |> sort_by i"),
            (Kinds{kMap, kMap, kSort, kMap}));
}

TEST(Plan, HasAPassForEachStageWithoutFusion) {
  const auto kinds = [](absl::string_view text) {
    return KindsOf(text, Fusion::kNone);
  };
  EXPECT_EQ(kinds("map 2 * x |> map x + 1 |> reduce a + b |> map -x"),
            (Kinds{kMap, kMap, kReduce, kMap}));
  EXPECT_EQ(kinds("map x + 1 |> scan a + b from 2 |> map x * 2"),
            (Kinds{kMap, kScan, kMap}));
  EXPECT_EQ(kinds("filter x > 3 |> filter x < 9 |> reduce a + b"),
            (Kinds{kFilter, kFilter, kReduce}));
  EXPECT_EQ(kinds("filter x > 3 |> count"), (Kinds{kFilter, kCount}));
  EXPECT_EQ(kinds("tabulate i, 9 |> map x * i |> slice 2, 3 |> last"),
            (Kinds{kMap, kMap, kMap}));
  EXPECT_EQ(kinds("zip x w |> sort_by x, y -> -x |> map x, y -> y + 1"),
            (Kinds{kMap, kSort, kMap, kMap}));
  // What computes nothing needs no pass.
  EXPECT_EQ(kinds("s = map v -> (v, v); zip x s |> slice 2, 3 |> "
                  "map u, v, w -> w |> scan a + b"),
            Kinds{kScan});
}

// Each of its passes reads arrays, and computes what one stage does.
TEST(Plan, WithoutFusionIsThatOfStagesThatWereStored) {
  const Plan plan =
      PlanOf("map 2 * x |> map x + 1 |> filter x > 3 |> scan a + b from 1",
             Fusion::kNone);
  const std::vector<PassSummary> passes =
      Summarize(plan, RandomProgramColumns(), {100, 100, 100, 100});
  std::vector<std::string> texts;
  for (const PassSummary& pass : passes) texts.push_back(pass.text);
  EXPECT_THAT(texts, ElementsAre("x |> map x -> x * 2", "p1 |> map x -> x + 1",
                                 "p2 |> filter x -> (3 < x, x)",
                                 "p3 |> scan a, b -> a + b from 1"));
  for (const PassSummary& pass : passes) {
    EXPECT_EQ(pass.bytes_read, 400) << pass.text;
    EXPECT_EQ(pass.bytes_written, 400) << pass.text;
  }
}

TEST(Plan, SaysWhatASortWrites) {
  const Plan plan = PlanOf("zip x w |> sort_by x |> map x, y -> y");
  const std::vector<PassSummary> passes =
      Summarize(plan, RandomProgramColumns(), {100, 100, 100, 100});
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(passes[0].text, "x |> radix_sort, with positions");
  EXPECT_EQ(passes[0].bytes_read, 400);
  // Keys and positions.
  EXPECT_EQ(passes[0].bytes_written, 1200);
  EXPECT_EQ(passes[1].text, "p1 |> map x -> w[x]");
}

TEST(Plan, IsKeptForAProgramAndItsCopies) {
  const auto parsed = [] {
    return *Program::Parse("scan a + b", RandomProgramColumns());
  };
  const Program program = parsed(), copy = program, other = parsed();
  const std::shared_ptr<const Plan> plan = *PlanOf(program);
  EXPECT_EQ(*PlanOf(copy), plan);
  EXPECT_NE(*PlanOf(other), plan);
  for (int k = 0; k < kMostCachedPrograms; ++k) {
    ASSERT_TRUE(PlanOf(parsed()).ok());
  }
  EXPECT_NE(*PlanOf(program), plan);
}

TEST(Plan, KeepsTheOrderOfOperators) {
  const auto order = [](absl::string_view text) {
    return PlanOf(text).passes.back().order;
  };
  EXPECT_EQ(order("reduce a + b"), Pass::Order::kAny);
  EXPECT_EQ(order("z |> reduce a + b"), Pass::Order::kTree);
  EXPECT_EQ(order("z |> reduce min(a, b)"), Pass::Order::kAny);
  EXPECT_EQ(order("reduce a, b -> b"), Pass::Order::kRows);
  EXPECT_EQ(order("scan a * b"), Pass::Order::kAny);
  EXPECT_EQ(order("z |> scan a * b"), Pass::Order::kNodes);
  EXPECT_EQ(order("scan a, b -> b"), Pass::Order::kNodes);
}

TEST(Plan, HasASummary) {
  const std::vector<expression::Parameter> columns = RandomProgramColumns();
  const std::vector<PassSummary> passes = Summarize(
      PlanOf("zip x w |> map int64(x) * y |> filter x > 0 |> map x + i |> "
             "reduce a + b from 7"),
      columns, {100, 100, 100, 100});
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(passes[0].text,
            "zip x w |> filter x, y -> { v1 = int64(x) * y; (0 < v1, v1) }");
  EXPECT_EQ(passes[0].elements, 100);
  EXPECT_FALSE(passes[0].at_most);
  EXPECT_EQ(passes[0].operations, 3);
  EXPECT_EQ(passes[0].bytes_read, 1200);
  EXPECT_EQ(passes[0].bytes_written, 800);
  EXPECT_EQ(passes[1].text,
            "p1 |> map x -> x + i |> reduce a, b -> a + b from 7");
  EXPECT_TRUE(passes[1].at_most);
  EXPECT_EQ(passes[1].bytes_read, 800);
  EXPECT_EQ(passes[1].bytes_written, 8);
}

}  // namespace
}  // namespace concord::sequence
