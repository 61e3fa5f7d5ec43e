// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/long_function.h"
#include "concord/algorithms/sequence/run_text.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

using expression::FromWord;
using expression::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  const absl::Status status =
      RunText(text, Ints{3, 1, 4}, std::vector<double>{1, 2}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

TEST(Program, SortsByAKeyAndKeepsTheOrderOfEqualOnes) {
  const Ints x = {31, 10, 42, 11, 50, 12};
  EXPECT_THAT(Values<int>("sort_by x", x), ElementsAre(10, 11, 12, 31, 42, 50));
  EXPECT_THAT(Values<int>("sort_by -x", x),
              ElementsAre(50, 42, 31, 12, 11, 10));
  EXPECT_THAT(Values<int>("sort_by x % 10", x),
              ElementsAre(10, 50, 31, 11, 42, 12));
  EXPECT_THAT(Values<int>("sort_by x > 11", x),
              ElementsAre(10, 11, 31, 42, 50, 12));
  EXPECT_THAT(Values<int>("sort_by -i", x),
              ElementsAre(12, 50, 11, 42, 10, 31));
  EXPECT_THAT(Values<int>("sort_by v -> x[v % 3]", x),
              ElementsAre(31, 10, 42, 12, 11, 50));
  EXPECT_THAT(Values<int>("zip x y |> sort_by y |> map x", x,
                          std::vector<std::int8_t>{0, -1, 127, 5, -128, 5}),
              ElementsAre(50, 10, 31, 11, 12, 42));
}

TEST(Program, OrdersKeysThatAreFloats) {
  const double nan = std::nan("");
  const std::vector<double> x = {nan,  0.0,       1,        -nan,
                                 -0.0, -HUGE_VAL, HUGE_VAL, 0.0};
  EXPECT_THAT(Values<std::int64_t>("map (x, i) |> sort_by x, i -> x |> "
                                   "map x, i -> i",
                                   x),
              ElementsAre(5, 4, 1, 7, 2, 6, 0, 3));
  // -0.0 and 0.0 are two keys, and all NaNs one.
  EXPECT_THAT(Values<std::int64_t>("histogram x |> map k, n -> n", x),
              ElementsAre(1, 1, 2, 1, 1, 2));
}

TEST(Program, CountsAndCombinesGroups) {
  const Ints x = {31, 10, 42, 11, 50, 12};
  const auto pairs = [&](absl::string_view text) {
    std::vector<std::pair<int, int>> pairs;
    const absl::StatusOr<std::vector<Tuple>> tuples = RunText(text, x);
    EXPECT_TRUE(tuples.ok()) << tuples.status();
    if (!tuples.ok()) return pairs;
    for (const Tuple& tuple : *tuples) {
      pairs.emplace_back(FromWord<int>(tuple[0]), FromWord<int>(tuple[1]));
    }
    return pairs;
  };
  EXPECT_THAT(pairs("histogram x % 10"),
              ElementsAre(std::pair(0, 2), std::pair(1, 2), std::pair(2, 2)));
  EXPECT_THAT(
      pairs("group_reduce x % 10 by a + b"),
      ElementsAre(std::pair(0, 60), std::pair(1, 42), std::pair(2, 54)));
  // In order: the first and the last element of each.
  EXPECT_THAT(
      pairs("group_reduce x % 10 by a, b -> a"),
      ElementsAre(std::pair(0, 10), std::pair(1, 31), std::pair(2, 42)));
  EXPECT_THAT(
      pairs("group_reduce (x % 10, x / 10) by a * 10 + b unchecked"),
      ElementsAre(std::pair(0, 15), std::pair(1, 31), std::pair(2, 41)));
  EXPECT_THAT(pairs("group_reduce x / 30 by max(a, b) from 40"),
              ElementsAre(std::pair(0, 40), std::pair(1, 50)));
  EXPECT_THAT(pairs("take 0 |> group_reduce x by a, b -> a"), ElementsAre());
  EXPECT_THAT(pairs("take 0 |> histogram x"), ElementsAre());
}

TEST(Program, ConcatenatesALimitedNumberOfSequences) {
  std::string text = "concat";
  for (int k = 0; k < 256; ++k) text += " x";
  EXPECT_EQ(Values<int>(text, Ints{7}).size(), 256);
  EXPECT_THAT(ErrorOf(text + " x"),
              HasSubstr("'concat' takes at most 256 sequences"));
}

TEST(Program, SaysWhatIsNoKey) {
  EXPECT_THAT(ErrorOf("sort_by (x, x)"), HasSubstr("a key is one value"));
  EXPECT_THAT(ErrorOf("histogram (x, x)"), HasSubstr("a key is one value"));
  EXPECT_THAT(ErrorOf("group_reduce x a + b"), HasSubstr("expected 'by'"));
  EXPECT_THAT(ErrorOf("map (x, x, x, x, x, x, x, x) |> group_reduce (x, x, y, "
                      "z, w, x4, x5, x6, x7) by a, b -> a"),
              HasSubstr("at most 7 values, these are 8"));
  EXPECT_THAT(ErrorOf("group_reduce x by a - b"), HasSubstr("not associative"));
  EXPECT_THAT(ErrorOf("by = map x; by"), HasSubstr("word of the language"));
}

TEST(Program, RunsItsStages) {
  const Ints x = {3, 1, 4, 1, 5};
  EXPECT_THAT(Values<int>("map 2 * x + 1", x), ElementsAre(7, 3, 9, 3, 11));
  EXPECT_THAT(Values<int>("map 2 * x + 1 |> reduce a + b", x), ElementsAre(33));
  EXPECT_THAT(Values<int>("filter x % 2 == 1 && i > 0", x),
              ElementsAre(1, 1, 5));
  EXPECT_THAT(Values<int>("scan a + b", x), ElementsAre(3, 4, 8, 9, 14));
  EXPECT_THAT(Values<int>("scan_before max(a, b) from 2", x),
              ElementsAre(2, 3, 3, 4, 4));
  EXPECT_THAT(Values<int>("scan_before a + b", x), ElementsAre(0, 3, 4, 8, 9));
  EXPECT_THAT(Values<int>("scan a + b from 100", x),
              ElementsAre(103, 104, 108, 109, 114));
  EXPECT_THAT(Values<std::int64_t>("filter x > 1 |> count", x), ElementsAre(3));
  EXPECT_THAT(Values<int>("last", x), ElementsAre(5));
  EXPECT_THAT(Values<int>("take 2", x), ElementsAre(3, 1));
  EXPECT_THAT(Values<int>("slice 3, 10", x), ElementsAre(1, 5));
  EXPECT_THAT(Values<int>("slice 7, 10", x), ElementsAre());
  EXPECT_THAT(Values<int>("x", x), ElementsAre(3, 1, 4, 1, 5));
  EXPECT_THAT(Values<int>("a = take 1; concat x a a", x),
              ElementsAre(3, 1, 4, 1, 5, 3, 3));
  EXPECT_THAT(Values<std::int64_t>("tabulate i * i, 4"),
              ElementsAre(0, 1, 4, 9));
  EXPECT_THAT(Values<int>("zip x y |> map x * y |> reduce a + b", x, x),
              ElementsAre(52));
  EXPECT_THAT(Values<int>("map { d = x - 3; d < 0 ? -d : d }", x),
              ElementsAre(0, 2, 1, 2, 2));
  // Stages may follow a reduction, which is a sequence of one.
  EXPECT_THAT(Values<int>("s = reduce a + b; concat s x |> scan a + b", x),
              ElementsAre(14, 17, 18, 22, 23, 28));
}

TEST(Program, ReadsColumnsAsTables) {
  const Ints x = {2, 0, 1, 2}, y = {10, 20, 30};
  EXPECT_THAT(Values<int>("map y[x]", x, y), ElementsAre(30, 10, 20, 30));
  EXPECT_THAT(Values<int>("map v -> x[v] + v", x, y), ElementsAre(3, 2, 1, 3));
  EXPECT_THAT(Values<int>("tabulate y[2 - i], 3", x, y),
              ElementsAre(30, 20, 10));
  EXPECT_THAT(Values<int>("filter y[x] > 10", x, y), ElementsAre(2, 1, 2));
  const absl::Status status = RunText("map y[x * 2]", x, y).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "element 0 reads y[4], and y has 3 elements");
  // A parameter of that name comes first.
  EXPECT_THAT(ErrorOf("map x[0]"), HasSubstr("'x' is not a table"));
}

int BestRun(const Ints& x) {
  int best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    int sum = 0;
    for (std::size_t j = i; j < x.size(); ++j) {
      sum += x[j];
      best = std::max(best, sum);
    }
  }
  return best;
}

TEST(Program, FindsTheLargestRunInTwoWays) {
  Random random(3);
  for (int size : {1, 2, 7, 127, 128, 129, 300}) {
    Ints x;
    for (int k = 0; k < size; ++k) {
      x.push_back(static_cast<int>(random.Below(21)) - 10);
    }
    const int best = BestRun(x);
    EXPECT_THAT(Values<int>("sums = scan a + b;\n"
                            "lows = sums |> scan_before min(a, b) from 0;\n"
                            "zip sums lows |> map x - y |> reduce max(a, b) "
                            "from 0",
                            x),
                ElementsAre(best));
    EXPECT_THAT(Values<std::int64_t>(
                    "map { v = int64(x); m = max(v, 0); (v, m, m, m) }\n"
                    "|> reduce (s,p,f,b), (t,q,g,c) -> (s + t, max(p, s + q), "
                    "max(g, t + f), max(b, max(c, f + q)))\n"
                    "|> map s, p, f, b -> b",
                    x),
                ElementsAre(best));
  }
}

TEST(Program, MatchesBrackets) {
  const absl::string_view text =
      "map (x, x) |> reduce (s, m), (t, n) -> (s + t, min(m, s + n)) "
      "|> map s == 0 && m >= 0";
  EXPECT_THAT(ErrorOf(text), HasSubstr("there is no 's'; there are: i x y"));
  const std::string named = absl::StrCat(
      "map (x, x) |> reduce (s, m), (t, n) -> (s + t, min(m, s + n)) ",
      "|> map s, m -> s == 0 && m >= 0");
  EXPECT_THAT(Values<bool>(named, Ints{1, 1, -1, -1, 1, -1}),
              ElementsAre(true));
  EXPECT_THAT(Values<bool>(named, Ints{1, -1, -1, 1}), ElementsAre(false));
  EXPECT_THAT(Values<bool>(named, Ints{1, 1, -1}), ElementsAre(false));
}

TEST(Program, ShowsThePlaceOfAnError) {
  EXPECT_EQ(ErrorOf("map x * 2.5 |> reduce a + b"),
            "line 1, column 9: 2.5 is not an int32; write float64(...) around "
            "the other side for a float\n"
            "  map x * 2.5 |> reduce a + b\n"
            "          ^");
  EXPECT_THAT(ErrorOf("mop x"),
              HasSubstr("column 1: there is no sequence 'mop'"));
  EXPECT_THAT(ErrorOf("x |> mop x"),
              HasSubstr("column 6: expected map, filter, reduce, scan"));
  EXPECT_THAT(ErrorOf("map d = x; d"), HasSubstr("stands in braces: { ... }"));
  EXPECT_THAT(ErrorOf("map x x"), HasSubstr("expected '|>' or the end before"));
  EXPECT_THAT(ErrorOf("filter x"), HasSubstr("this gives an int32"));
  EXPECT_THAT(ErrorOf("filter (x > 1, true)"), HasSubstr("gives a tuple"));
  EXPECT_THAT(ErrorOf("reduce a - b"),
              HasSubstr("column 8: the operator is not associative"));
  EXPECT_THAT(ErrorOf("scan_before a, b -> b"),
              HasSubstr("say after 'from' what to begin with"));
  EXPECT_THAT(ErrorOf("reduce a + b from 2.5"),
              HasSubstr("2.5 is not an int32"));
  EXPECT_THAT(ErrorOf("take x"), HasSubstr("expected a whole number"));
  EXPECT_THAT(ErrorOf("take 2.5"), HasSubstr("expected a whole number"));
  EXPECT_THAT(ErrorOf("take 99999999999999999999"),
              HasSubstr("column 6: '99999999999999999999' is too large; the "
                        "largest number here is 9223372036854775807"));
  EXPECT_THAT(ErrorOf("map = x; map x"),
              HasSubstr("'map' is a word of the language"));
  EXPECT_THAT(ErrorOf("x = map x; x"), HasSubstr("there is 'x' already"));
  EXPECT_THAT(ErrorOf("concat x y"), HasSubstr("of different types"));
  EXPECT_EQ(ErrorOf("zip x y"),
            "zip of 3 and 2 elements; it needs as many of each");
  EXPECT_EQ(ErrorOf("filter x > 9 |> last"), "last of nothing");
  EXPECT_THAT(ErrorOf("filter x > 9 |> reduce a, b -> b"),
              HasSubstr("reduce of nothing"));
  EXPECT_THAT(std::string(RunText("map x").status().message()),
              HasSubstr("there are no inputs; a program without them begins "
                        "with tabulate"));
  EXPECT_TRUE(RunText("reduce a - b unchecked", Ints{9, 3, 2}).ok());
}

// The operator has two parameters, too. In groups, there are the flags of both
// elements, which of them is set, and the choice.
TEST(Program, RefusesOperatorsThatAreTooLargeInGroups) {
  const auto grouped = [](int operations) {
    return absl::StrCat("group_reduce x by a, b -> ",
                        LongFunction("a", "b", operations), " unchecked");
  };
  EXPECT_TRUE(RunText(grouped(4090), Ints{3, 1, 3}).ok());
  for (const int operations : {4091, 4094}) {
    EXPECT_THAT(ErrorOf(grouped(operations)),
                HasSubstr("line 1, column 19: with the flag and the choices "
                          "that group_reduce adds, the operator is too large: "
                          "a function has at most 4096 different operations"));
  }
}

TEST(Program, KeepsOnlyStagesThatTheResultNeeds) {
  absl::StatusOr<Program> program = Program::Parse(
      "unused = map x + 1; a = map x * 2; a |> count",
      expression::Scope::OfColumns({Type::kInt32, Type::kInt8}).parameters);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->stages().size(), 3u);
  EXPECT_THAT(program->types(), ElementsAre(Type::kInt64));
}

TEST(ProgramFuzz, AnyTextGivesAProgramOrAnError) {
  const std::vector<absl::string_view> kParts = {"map",
                                                 "filter",
                                                 "reduce",
                                                 "scan",
                                                 "scan_before",
                                                 "count",
                                                 "last",
                                                 "take",
                                                 "slice",
                                                 "zip",
                                                 "x",
                                                 "y",
                                                 "s = ",
                                                 "s",
                                                 "|>",
                                                 "|>",
                                                 ";",
                                                 ",",
                                                 "a + b",
                                                 "x + 1",
                                                 "x > 2",
                                                 "from",
                                                 "0",
                                                 "3",
                                                 "(",
                                                 ")",
                                                 "{",
                                                 "}",
                                                 "->",
                                                 "concat",
                                                 "tabulate i, 4",
                                                 "max(a, b)",
                                                 "i",
                                                 "unchecked"};
  Random random(9);
  int run = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string text;
    const std::uint64_t size = 1 + random.Below(12);
    for (std::uint64_t j = 0; j < size; ++j) {
      absl::StrAppend(&text, kParts[random.Below(kParts.size())], " ");
    }
    absl::StatusOr<std::vector<Tuple>> result =
        RunText(text, Ints{3, 1, 4}, Ints{1, 2, 3});
    ASSERT_TRUE(result.ok() ||
                result.status().code() == absl::StatusCode::kInvalidArgument)
        << text << result.status();
    run += result.ok() ? 1 : 0;
  }
  EXPECT_GT(run, 200);
}

}  // namespace
}  // namespace concord::sequence
