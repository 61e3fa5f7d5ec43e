// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using expression::Expression;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SequenceOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  Sequence Ints(std::vector<int> values) {
    return Sequence::Of<int>(backend_, std::move(values));
  }

  std::shared_ptr<Backend> backend_;
};

// Every backend that has an implementation, with several threads.
std::set<std::string> Backends() {
  std::set<std::string> backends;
  for (const ImplementationInfo& info :
       Registry<SequenceProgram>::Get().All()) {
    backends.insert(info.backend == "tbb" ? "tbb:3" : info.backend);
  }
  return backends;
}

INSTANTIATE_TEST_SUITE_P(Backends, SequenceOn, ::testing::ValuesIn(Backends()),
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

TEST_P(SequenceOn, TuplesGoIntoColumns) {
  const Sequence x = Sequence::Of<double>(backend_, {3, 0.5, 6});
  const Sequence y = Sequence::Of<double>(backend_, {4, 0.5, 8});
  const Sequence far = Zip(x, y)
                           .Filter("x * x + y * y > 1.0")
                           .Map("(x, y, sqrt(x * x + y * y))");
  EXPECT_THAT(ValueOf(far[2].ToVector<double>()), ElementsAre(5, 10));
  std::vector<double> xs(3), ys(3), rs(3);
  std::int64_t count = 0;
  const absl::Status done =
      far.Into({ArrayView(absl::MakeSpan(xs)), ArrayView(absl::MakeSpan(ys)),
                ArrayView(absl::MakeSpan(rs))},
               &count);
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_EQ(count, 2);
  rs.resize(count);
  EXPECT_THAT(rs, ElementsAre(5, 10));
}

// One element behind the last would be written, or others than are asked for.
TEST_P(SequenceOn, ArraysWithGapsAreRefused) {
  const Sequence x = Ints({5, -3, 8, 0}).Map("x + 1");
  std::vector<int> into(8, -1);
  const ArrayView all(absl::MakeSpan(into));
  for (const Shape& shape : {Shape(4).WithStrides(2), Shape(4).WithStrides(-1),
                             Shape(2, 2).WithStrides(1, 2), Shape(-4)}) {
    const ArrayView view(into.data() + 3, shape, Memory::Host());
    EXPECT_EQ(x.Into({view}).code(), absl::StatusCode::kInvalidArgument)
        << shape.ToString();
  }
  EXPECT_EQ(x.Into({ArrayView(nullptr, ElementType::kInt32, 4, Memory::Host())})
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(into, Each(-1));
  EXPECT_EQ(x.Into({all}), absl::OkStatus());
  EXPECT_THAT(into, ElementsAre(6, -2, 9, 1, -1, -1, -1, -1));
}

TEST_P(SequenceOn, GetOfSeveralCountsTheirElements) {
  const Sequence x = Ints({5, 8, 8, 5});
  EXPECT_EQ(ValueOf(Get<int>(x.Filter("i == 2"))), std::make_tuple(8));
  EXPECT_EQ(
      ValueOf((Get<int, int>(x.GroupReduce("0 * x", "a + b")[1], x.Sum()))),
      std::make_tuple(26, 26));
  for (const Sequence& none : {Ints({}), x.Filter("x > 8"), x.Slice(4, 1)}) {
    EXPECT_THAT(Get<int>(none).status().message(), HasSubstr("0 elements"));
    EXPECT_THAT((Get<int, int>(none, none).status().message()),
                HasSubstr("0 elements"));
  }
  EXPECT_THAT(Get<int>(x).status().message(), HasSubstr("4 elements"));
  EXPECT_THAT((Get<int, float>(x.Sum(), x.Max()).status().message()),
              HasSubstr("int32, int32, not int32, float32"));
}

// The promise that clang-tidy does not know of: here, use after a move is
// right.
TEST_P(SequenceOn, WhatWasMovedIsStillThere) {
  Sequence x = Ints({1, 2});
  const Sequence moved = std::move(x);
  EXPECT_EQ(ValueOf(moved.Sum().Get<int>()), 3);
  EXPECT_EQ(ValueOf(x.Sum().Get<int>()), 3);  // NOLINT(bugprone-use-after-move)
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

TEST_P(SequenceOn, IsAskedAgainAndAgain) {
  std::vector<int> values = {3, 1, 4};
  const Sequence x =
      Sequence::Borrow(backend_, ConstArrayView(absl::MakeConstSpan(values)));
  const Sequence sum = x.Map("2 * x").Sum();
  const Sequence odd = x.Filter("x % 2 == 1");
  // Elements are read anew each time.
  for (int k = 0; k < 3; ++k) {
    values[2] = k;
    EXPECT_EQ(ValueOf(sum.Get<int>()), 8 + 2 * k);
    std::vector<int> expected = {3, 1};
    if (k == 1) expected.push_back(1);
    EXPECT_EQ(ValueOf(odd.ToVector<int>()), expected);
    int into = 0;
    std::int64_t count = 0;
    const ArrayView place(&into, 1, Memory::Host());
    EXPECT_EQ(sum.Into({place}, &count), absl::OkStatus());
    EXPECT_EQ(into, 8 + 2 * k);
    EXPECT_EQ(count, 1);
  }
  // Also behind an error.
  const Sequence read = x.Map("t[x]", {{"t", Ints({10, 20})}}).Sum();
  values = {0, 1, 2};
  EXPECT_EQ(read.Get<int>().status().code(), absl::StatusCode::kOutOfRange);
  values = {0, 1, 1};
  EXPECT_EQ(ValueOf(read.Get<int>()), 50);
  values = {0, 2, 1};
  EXPECT_EQ(read.Get<int>().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_P(SequenceOn, TheFirstErrorComesOutAtTheEnd) {
  const Sequence x = Ints({3, 1, 4});
  const absl::Status status =
      x.Map("x * 2.5").Map("also wrong").Sum().Get<int>().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("2.5 is not an int32"));
  EXPECT_THAT(status.message(), HasSubstr("^"));
  EXPECT_THAT(x.Reduce("a - b").Get<int>().status().message(),
              HasSubstr("not associative"));
  EXPECT_THAT(x.Get<int>().status().message(), HasSubstr("3 elements"));
  EXPECT_THAT(x.Sum().Get<float>().status().message(),
              HasSubstr("of type int32, not float32"));
  EXPECT_THAT(x[1].Get<int>().status().message(), HasSubstr("no column 1"));
  EXPECT_FALSE(Concat({}).ToArrays().ok());
  Sequence many = x;
  for (int step = 0; step < 1000; ++step) many = many.Map("x + 1");
  EXPECT_THAT(many.Sum().Get<int>().status().message(),
              HasSubstr("at most 256 stages"));
}

TEST(Sequence, HasTheTextOfItsProgram) {
  const std::shared_ptr<Backend> serial = *OpenBackend("serial");
  const Sequence x = Sequence::Of<int>(serial, {1, 2});
  const Sequence sums = x.Scan("a + b");
  EXPECT_EQ(ValueOf(Zip(sums, x).Map("x - y").Max().Text()),
            "s1 = x |> scan a, b -> a + b unchecked;\n"
            "zip s1 x |> map x, y -> x - y |> "
            "reduce a, b -> max(a, b) unchecked");
}

// What the text of a sequence gives on these arrays.
template <typename T = int>
std::vector<T> ByText(const Sequence& sequence, Views arrays) {
  const absl::StatusOr<std::vector<HostArray>> columns =
      ComputeSequence(*OpenBackend("serial"), ValueOf(sequence.Text()), arrays);
  EXPECT_TRUE(columns.ok()) << columns.status();
  if (!columns.ok()) return {};
  const absl::Span<const T> values = columns->front().span<T>();
  return {values.begin(), values.end()};
}

TEST(Sequence, ItsTextTakesArraysFromLeftToRight) {
  const std::shared_ptr<Backend> serial = *OpenBackend("serial");
  const std::vector<int> xs = {0, 1, 2, 3}, ts = {3, 0, 1, 1};
  const std::vector<int> us = {2, 7, 1, 8}, vs = {20, 70, 10, 80};
  const auto view = [](const std::vector<int>& values) {
    return ConstArrayView(absl::MakeConstSpan(values));
  };
  const auto of = [&](const std::vector<int>& values) {
    return Sequence::Borrow(serial, view(values));
  };
  const Sequence x = of(xs), t = of(ts), u = of(us), v = of(vs);
  const auto expect_same = [](const Sequence& sequence, Views arrays) {
    EXPECT_EQ(ByText(sequence, arrays), ValueOf(sequence.ToVector<int>()))
        << ValueOf(sequence.Text());
  };
  // What is mapped is before the tables.
  const Sequence read = x.Map("t[x] + 100 * x", {{"t", t}});
  EXPECT_EQ(ValueOf(read.Text()), "x |> map p1 -> y[int64(p1)] + p1 * 100");
  expect_same(read, {view(xs), view(ts)});
  expect_same(x.Map("t[3 - x] - u[x]", {{"u", u}, {"t", t}}),
              {view(xs), view(us), view(ts)});
  expect_same(x.Map("t[x]", {{"t", t}}).Map("x - 2 * u[x]", {{"u", u}}),
              {view(xs), view(ts), view(us)});
  // An array that is read again keeps its place.
  expect_same(x.Map("x - x0[3 - x] + t[x]", {{"x0", x}, {"t", t}}),
              {view(xs), view(ts)});
  expect_same(
      read.Scan("a + b").Map("x - 3 * t[i] + u[i]", {{"t", t}, {"u", u}}),
      {view(xs), view(ts), view(us)});
  const Sequence twice = Zip(read, read).Map("x - 2 * y + u[i]", {{"u", u}});
  expect_same(twice, {view(xs), view(ts), view(us)});
  // Of zip and concat, the sequences in turn with their tables.
  expect_same(Zip(u.Map("x - t[i]", {{"t", t}}), x.Map("v[x]", {{"v", v}}))
                  .Map("x - 3 * y"),
              {view(us), view(ts), view(xs), view(vs)});
  expect_same(Zip(read, u).Map("x - 3 * y + v[i]", {{"v", v}}),
              {view(xs), view(ts), view(us), view(vs)});
  expect_same(Concat({u, read, x}), {view(us), view(xs), view(ts)});
  expect_same(Concat({read, u, t}).Filter("x > 0"),
              {view(xs), view(ts), view(us)});
  expect_same(Zip(x.Filter("x > 0"), x.Filter("x < 3"))
                  .Map("x - 3 * y + t[x] - u[y]", {{"u", u}, {"t", t}}),
              {view(xs), view(us), view(ts)});
}

TEST(Sequence, ItsTextHasNoTablesThatAreNotRead) {
  const std::shared_ptr<Backend> serial = *OpenBackend("serial");
  const auto of = [&](int value) { return Sequence::Of<int>(serial, {value}); };
  const Sequence read = of(0).Map(
      "c[i] - e[i]",
      {{"a", of(1)}, {"b", of(2)}, {"c", of(3)}, {"d", of(4)}, {"e", of(5)}});
  EXPECT_EQ(ValueOf(read.Text()), "x |> map p1 -> y[i] - z[i]");
  EXPECT_EQ(ValueOf(read.Get<int>()), -2);
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

TEST(Sequence, ExplainsItsStepsAndRunsNothing) {
  const std::shared_ptr<Backend> serial = *OpenBackend("serial");
  // Nothing may look at the elements.
  const Sequence x =
      Sequence::Borrow(serial, WithoutElements(ElementType::kInt32, 1000));
  const Sequence kept = x.Map("2 * x + 1").Filter("x > 5");
  const absl::StatusOr<ExplainedCall> explanation = kept.Explain();
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  ASSERT_EQ(explanation->steps.size(), 1);
  EXPECT_THAT(explanation->steps[0].what, HasSubstr("filter"));
  EXPECT_EQ(explanation->steps[0].elements, 1000);
  EXPECT_EQ(explanation->steps[0].bytes_read, 4000);
  EXPECT_EQ(explanation->steps[0].bytes_written, 4000);
  EXPECT_EQ(explanation->least_read, 4000);
  EXPECT_EQ(explanation->least_written, 4000);
  EXPECT_EQ(x.Map("x +").Explain().status(), x.Map("x +").status());
}

TEST(Sequence, ANullPointerIsNoBackend) {
  EXPECT_EQ(Sequence::Of<int>(nullptr, {1, 2}).Sum().Get<int>().status(),
            NoBackendError());
  EXPECT_EQ(Sequence::Range(nullptr, 0, 3).ToVector<std::int64_t>().status(),
            NoBackendError());
  EXPECT_EQ(Sequence::Tabulate(nullptr, "i * i", 3).Text().status(),
            NoBackendError());
}

}  // namespace
}  // namespace concord
