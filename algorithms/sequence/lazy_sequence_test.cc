// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the stages of a `Sequence` do, by text and by lambda.

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sequence_on.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using expression::Expression;
using sequence::BackendsOfSequence;
using sequence::SequenceOn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Backends, SequenceOn,
                         ::testing::ValuesIn(BackendsOfSequence()),
                         NameOfParameter);

TEST_P(SequenceOn, MapsAndFoldsByTextAndByLambda) {
  const Sequence x = Ints({3, 1, 4});
  EXPECT_EQ(ValueOf(x.Map("2 * x + 1").Sum().Get<int>()), 19);
  EXPECT_EQ(
      ValueOf(x.Map([](Expression v) { return 2 * v + 1; })
                  .Reduce([](Expression a, Expression b) { return a + b; })
                  .Get<int>()),
      19);
  EXPECT_EQ(ValueOf(x.Min().Get<int>()), 1);
  EXPECT_EQ(ValueOf(x.Max().Get<int>()), 4);
  EXPECT_EQ(ValueOf(x.Count().Get<std::int64_t>()), 3);
  EXPECT_EQ(ValueOf(x.Last().Get<int>()), 4);
  EXPECT_THAT(ValueOf(x.ToVector<int>()), ElementsAre(3, 1, 4));
  EXPECT_EQ(ValueOf(x.Reduce("a + b", "100").Get<int>()), 108);
}

TEST_P(SequenceOn, ScansTakesAndFilters) {
  const Sequence x = Ints({3, 1, 4, 1, 5});
  EXPECT_THAT(ValueOf(x.Scan("a + b").ToVector<int>()),
              ElementsAre(3, 4, 8, 9, 14));
  EXPECT_THAT(ValueOf(x.ScanBefore("min(a, b)", "9").ToVector<int>()),
              ElementsAre(9, 3, 1, 1, 1));
  EXPECT_THAT(ValueOf(x.Filter("x % 2 == 1").ToVector<int>()),
              ElementsAre(3, 1, 1, 5));
  EXPECT_THAT(
      ValueOf(x.Filter([](Expression v) { return v > 9; }).ToVector<int>()),
      IsEmpty());
  EXPECT_THAT(ValueOf(x.Take(2).ToVector<int>()), ElementsAre(3, 1));
  EXPECT_THAT(ValueOf(x.Slice(3, 9).ToVector<int>()), ElementsAre(1, 5));
  EXPECT_THAT(ValueOf(Concat({x.Take(1), x, x.Take(1)}).ToVector<int>()),
              ElementsAre(3, 3, 1, 4, 1, 5, 3));
  EXPECT_THAT(
      ValueOf(Sequence::Range(backend_, -1, 3).ToVector<std::int64_t>()),
      ElementsAre(-1, 0, 1));
  EXPECT_THAT(
      ValueOf(
          Sequence::Tabulate(backend_, "i * i", 4).ToVector<std::int64_t>()),
      ElementsAre(0, 1, 4, 9));
}

TEST_P(SequenceOn, SortsAndGroupsByKeys) {
  const Sequence x = Ints({31, 10, 42, 11, 50, 12});
  EXPECT_THAT(ValueOf(x.SortBy("x % 10").ToVector<int>()),
              ElementsAre(10, 50, 31, 11, 42, 12));
  EXPECT_THAT(
      ValueOf(x.SortBy([](Expression v) { return -v; }).ToVector<int>()),
      ElementsAre(50, 42, 31, 12, 11, 10));
  const Sequence counts = x.Histogram("x > 20");
  EXPECT_THAT(ValueOf(counts[0].ToVector<std::uint8_t>()), ElementsAre(0, 1));
  EXPECT_THAT(ValueOf(counts[1].ToVector<std::int64_t>()), ElementsAre(3, 3));
  EXPECT_THAT(ValueOf(x.Histogram([](Expression v) { return v / 20; })[1]
                          .ToVector<std::int64_t>()),
              ElementsAre(3, 1, 2));
  EXPECT_THAT(ValueOf(x.GroupReduce("x % 10", "a + b")[1].ToVector<int>()),
              ElementsAre(60, 42, 54));
  EXPECT_THAT(ValueOf(Zip(x, x.SortBy("-i"))
                          .GroupReduce("(x % 10, y)", "max(a, b)", "40")[1]
                          .ToVector<int>()),
              ElementsAre(50, 42, 40));
  EXPECT_THAT(
      ValueOf(x.GroupReduce([](Expression v) { return v % 10; },
                            [](Expression a, Expression b) { return b + a; })[0]
                  .ToVector<int>()),
      ElementsAre(0, 1, 2));
  EXPECT_THAT(x.SortBy("(x, x)").ToArrays().status().message(),
              HasSubstr("a key is one value"));
  EXPECT_THAT(x.GroupReduce("x", "a - b").ToArrays().status().message(),
              HasSubstr("not associative"));
}

TEST_P(SequenceOn, TheTwoProgramsOfTheArticle) {
  // ( ( ) ) ) (  as +1 and -1: the scan is used twice.
  const Sequence depth = Ints({1, 1, -1, -1, -1, 1}).Scan("a + b");
  const absl::StatusOr<std::tuple<int, int>> ends =
      Get<int, int>(depth.Last(), depth.Min());
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_EQ(*ends, std::make_tuple(0, -1));

  const Sequence s = Ints({2, -5, 3, 4, -1, 2, -9, 4});
  const Sequence sums = s.Scan("a + b");
  const Sequence lows = sums.ScanBefore("min(a, b)", "0");
  EXPECT_EQ(ValueOf(Zip(sums, lows).Map("x - y").Max().Get<int>()), 8);

  const Sequence one_pass =
      s.Map("v = int64(x); (v, v, v, v)")
          .Reduce(
              "(s, p, f, b), (t, q, g, c) -> (s + t, max(p, s + q), "
              "max(g, t + f), max(b, max(c, f + q)))");
  EXPECT_EQ(ValueOf(one_pass[3].Get<std::int64_t>()), 8);
}

TEST_P(SequenceOn, FunctionsReadOtherSequences) {
  const Sequence table = Ints({10, 20, 30});
  const Sequence x = Ints({2, 0, 1});
  EXPECT_THAT(
      ValueOf(x.Map("square[x] + x", {{"square", table}}).ToVector<int>()),
      ElementsAre(32, 10, 21));
  EXPECT_THAT(ValueOf(x.Map("a[x] + b[2 - x] + c[0]",
                            {{"a", table}, {"b", table}, {"c", x}})
                          .ToVector<int>()),
              ElementsAre(42, 42, 42));
  EXPECT_EQ(x.Map("square[x + 1]", {{"square", table}})
                .ToVector<int>()
                .status()
                .code(),
            absl::StatusCode::kOutOfRange);
}

const char kLeavesItOut[] = "'unchecked' leaves out this trial";

TEST_P(SequenceOn, AnUncheckedTextIsNotTried) {
  const Sequence x = Ints({0, 1, 2, 3, 4});
  const std::string tried = "(a + b) % 5";
  const std::string taken = tried + " unchecked";
  EXPECT_THAT(x.Reduce(tried).status().message(), HasSubstr(kLeavesItOut));
  EXPECT_THAT(x.Scan(tried).status().message(), HasSubstr(kLeavesItOut));
  EXPECT_THAT(x.ScanBefore(tried, "0").status().message(),
              HasSubstr(kLeavesItOut));
  EXPECT_THAT(x.GroupReduce("x % 2", tried).status().message(),
              HasSubstr(kLeavesItOut));
  EXPECT_EQ(ValueOf(x.Reduce(taken).Get<int>()), 0);
  EXPECT_EQ(ValueOf(x.Reduce(taken, "3").Get<int>()), 3);
  EXPECT_THAT(ValueOf(x.Scan(taken).ToVector<int>()),
              ElementsAre(0, 1, 3, 1, 0));
  EXPECT_THAT(ValueOf(x.ScanBefore(taken, "0").ToVector<int>()),
              ElementsAre(0, 0, 1, 3, 1));
  EXPECT_THAT(ValueOf(x.GroupReduce("x % 2", taken)[1].ToVector<int>()),
              ElementsAre(1, 4));
  EXPECT_EQ(ValueOf(x.Reduce("s = a + b; s % 5 unchecked").Get<int>()), 0);
  EXPECT_EQ(ValueOf(x.Reduce(taken).Text()),
            "x |> reduce a, b -> (a + b) % 5 unchecked");
  EXPECT_THAT(x.Reduce(taken + " twice").status().message(),
              HasSubstr("expected an operator, 'unchecked' or the end"));
}

TEST_P(SequenceOn, AnAssumedOperatorIsNotTried) {
  const Sequence x = Ints({0, 1, 2, 3, 4});
  const auto op = [](Expression a, Expression b) { return (a + b) % 5; };
  const auto parity = [](Expression v) { return v % 2; };
  const Sequence::OperatorClaims assumed = expression::AssumeAssociative();
  const auto says_how = HasSubstr("AssumeAssociative() leaves out this trial");
  EXPECT_THAT(x.Reduce(op).status().message(), says_how);
  EXPECT_THAT(x.GroupReduce(parity, op).status().message(), says_how);
  EXPECT_EQ(ValueOf(x.Reduce(op, "", assumed).Get<int>()), 0);
  EXPECT_THAT(ValueOf(x.Scan(op, "", assumed).ToVector<int>()),
              ElementsAre(0, 1, 3, 1, 0));
  EXPECT_THAT(ValueOf(x.ScanBefore(op, "0", assumed).ToVector<int>()),
              ElementsAre(0, 0, 1, 3, 1));
  EXPECT_THAT(
      ValueOf(x.GroupReduce(parity, op, "", assumed)[1].ToVector<int>()),
      ElementsAre(1, 4));
  EXPECT_EQ(ValueOf(x.Reduce("(a + b) % 5", "", assumed).Get<int>()), 0);
}

TEST_P(SequenceOn, AClaimedIdentityIsTheStart) {
  const auto op = [](Expression a, Expression b) { return a + b - 7; };
  const Sequence::OperatorClaims claims = expression::WithIdentity({7});
  const Sequence x = Ints({8, 9});
  EXPECT_EQ(ValueOf(x.Take(0).Reduce(op, "", claims).Get<int>()), 7);
  EXPECT_EQ(ValueOf(x.Reduce(op, "", claims).Get<int>()), 10);
  EXPECT_EQ(ValueOf(x.Reduce(op, "8", claims).Get<int>()), 11);
  EXPECT_THAT(ValueOf(x.ScanBefore(op, "", claims).ToVector<int>()),
              ElementsAre(7, 8));
  EXPECT_THAT(
      x.Reduce(op, "", expression::WithIdentity({8})).status().message(),
      HasSubstr("is not the identity"));
}

TEST_P(SequenceOn, TextsAndLambdasMeet) {
  const Sequence x = Ints({31, 10, 42, 11, 50, 12});
  const auto key = [](Expression v) { return v % 10; };
  const auto add = [](Expression a, Expression b) { return a + b; };
  EXPECT_THAT(ValueOf(x.GroupReduce(key, "a + b")[1].ToVector<int>()),
              ElementsAre(60, 42, 54));
  EXPECT_THAT(ValueOf(x.GroupReduce("x % 10", add, "1")[1].ToVector<int>()),
              ElementsAre(61, 43, 55));
  EXPECT_THAT(ValueOf(x.GroupReduce(std::string("x % 10"),
                                    absl::string_view("a + b"))[1]
                          .ToVector<int>()),
              ElementsAre(60, 42, 54));
  EXPECT_THAT(x.GroupReduce(key, "a +").status().message(), HasSubstr("^"));
  EXPECT_THAT(x.GroupReduce("x %", add).status().message(), HasSubstr("^"));
}

TEST_P(SequenceOn, LambdasReadOtherSequences) {
  using Table = Sequence::TableSymbol;
  const Sequence t = Ints({10, 20, 30});
  const Sequence u = Ints({1, 2, 3});
  const Sequence x = Ints({2, 0, 1});
  const auto read = [](Expression v, Table a) { return a[v] + v; };
  EXPECT_THAT(ValueOf(x.Map(read, {{"t", t}}).ToVector<int>()),
              ElementsAre(32, 10, 21));
  EXPECT_THAT(ValueOf(x.Map([](Expression v, Table a,
                               Table b) { return a[v] - b[2 - v]; },
                            {{"t", t}, {"u", u}})
                          .ToVector<int>()),
              ElementsAre(29, 7, 18));
  EXPECT_THAT(x.Map(read, {{"t", t.Map("x")}}).status().message(),
              HasSubstr("does not come straight from an array"));
  EXPECT_FALSE(x.Map(read).status().ok());
}

}  // namespace
}  // namespace concord
