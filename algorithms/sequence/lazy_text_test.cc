// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The text of a `Sequence`, and its explanation.

#include <memory>
#include <vector>

#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/backend.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace concord
