// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a `Sequence` gives its results and its errors.

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sequence_on.h"
#include "concord/core/backend.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using sequence::BackendsOfSequence;
using sequence::SequenceOn;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Backends, SequenceOn,
                         ::testing::ValuesIn(BackendsOfSequence()),
                         NameOfParameter);

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
