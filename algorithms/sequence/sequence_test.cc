// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "concord/core/registry.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const bool kDifferential = AddDifferentialSuite("sequence");

template <typename T>
ConstArrayView View(const std::vector<T>& values) {
  return ConstArrayView(absl::MakeSpan(values));
}

// --- Known answers, of every implementation that can run here ---

class Sequences : public testing::TestWithParam<ImplementationInfo> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam().backend); }

  absl::StatusOr<std::vector<HostArray>> Results(
      absl::string_view program, const std::vector<ConstArrayView>& columns) {
    return ComputeSequence(backend_, program, columns, GetParam().variant);
  }

  // Of a result of one column.
  template <typename T>
  std::vector<T> Result(absl::string_view program,
                        const std::vector<ConstArrayView>& columns) {
    const absl::StatusOr<std::vector<HostArray>> results =
        Results(program, columns);
    EXPECT_TRUE(results.ok()) << results.status();
    if (!results.ok()) return {};
    EXPECT_THAT(*results, SizeIs(1));
    EXPECT_EQ(results->front().type(), ElementTypeOf<T>());
    const absl::Span<const T> values = results->front().span<T>();
    return {values.begin(), values.end()};
  }

  absl::Status Error(absl::string_view program,
                     const std::vector<ConstArrayView>& columns) {
    return Results(program, columns).status();
  }

  std::shared_ptr<Backend> backend_;
};

TEST_P(Sequences, MapAndReduce) {
  const std::vector<std::int32_t> x = {3, 1, 4};
  EXPECT_THAT(Result<std::int32_t>("map 2 * x + 1 |> reduce a + b", {View(x)}),
              ElementsAre(19));
  EXPECT_THAT(Result<std::int32_t>("x", {View(x)}), ElementsAre(3, 1, 4));
}

TEST_P(Sequences, EachValueOfATupleIsAnArray) {
  const std::vector<float> x = {3, -1};
  const std::vector<float> y = {4, 0.5};
  const absl::StatusOr<std::vector<HostArray>> results = Results(
      "zip x y |> map (x, x < y, i, sqrt(x * x + y * y))", {View(x), View(y)});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_THAT(*results, SizeIs(4));
  EXPECT_THAT((*results)[0].span<float>(), ElementsAre(3, -1));
  EXPECT_EQ((*results)[1].type(), ElementType::kUInt8);
  EXPECT_THAT((*results)[1].span<std::uint8_t>(), ElementsAre(1, 1));
  EXPECT_THAT((*results)[2].span<std::int64_t>(), ElementsAre(0, 1));
  EXPECT_THAT((*results)[3].span<float>(), ElementsAre(5, 1.118034f));
}

TEST_P(Sequences, FilterSaysHowManyAreLeft) {
  const std::vector<std::int64_t> x = {5, -2, 0, 7, -1};
  EXPECT_THAT(Result<std::int64_t>("filter x < 0 |> map -x", {View(x)}),
              ElementsAre(2, 1));
  EXPECT_THAT(Result<std::int64_t>("filter x > 9", {View(x)}), IsEmpty());
}

TEST_P(Sequences, TheArticlesPrograms) {
  const std::vector<std::int32_t> x = {-1, 2, -1, 3, -5, 1};
  EXPECT_THAT(
      Result<std::int32_t>(
          "sums = scan a + b; lows = sums |> scan_before min(a, b) from "
          "0; zip sums lows |> map x - y |> reduce max(a, b)",
          {View(x)}),
      ElementsAre(4));
  const std::vector<std::int8_t> brackets = {1, 1, -1, -1, 1, -1};
  const absl::StatusOr<std::vector<HostArray>> ends = Results(
      "map (x, min(x, 0)) |> reduce (s, m), (t, n) -> (s + t, min(m, s "
      "+ n)) unchecked",
      {View(brackets)});
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_THAT((*ends)[0].span<std::int8_t>(), ElementsAre(0));
  EXPECT_THAT((*ends)[1].span<std::int8_t>(), ElementsAre(0));
}

TEST_P(Sequences, ColumnsMayHaveOtherSizesAndBeAbsent) {
  const std::vector<std::uint8_t> y = {2, 0};
  const std::vector<double> w = {0.5, 1.5, 2.5};
  EXPECT_THAT(Result<double>("y |> map v -> w[v]", {{}, View(y), {}, View(w)}),
              ElementsAre(2.5, 0.5));
  EXPECT_THAT(Result<std::int64_t>("tabulate i * i, 4", {}),
              ElementsAre(0, 1, 4, 9));
}

TEST_P(Sequences, EmptyColumns) {
  const std::vector<float> x;
  EXPECT_THAT(Result<float>("map x + 1 |> scan a + b", {View(x)}), IsEmpty());
  EXPECT_THAT(Result<float>("filter x > 0", {View(x)}), IsEmpty());
  EXPECT_THAT(Result<float>("reduce a + b", {View(x)}), ElementsAre(0));
  EXPECT_THAT(Result<std::int64_t>("count", {View(x)}), ElementsAre(0));
}

TEST_P(Sequences, AnyNanOfAResultIsTheQuietNan) {
  constexpr std::uint32_t kQuiet = 0x7fc00000, kOther = 0xffc12345;
  std::vector<float> x(3);
  std::fill(x.begin(), x.end(), absl::bit_cast<float>(kOther));
  for (const char* program :
       {"x", "zip x", "filter true", "sort_by i", "sort_by x", "slice 1, 2",
        "concat x x", "last", "scan a, b -> b", "reduce a, b -> a",
        "take 1 |> reduce a + b", "take 1 |> reduce min(a, b)",
        "scan min(a, b)", "scan a + b", "histogram x |> map k, n -> k"}) {
    for (const float value : Result<float>(program, {View(x)})) {
      EXPECT_EQ(absl::bit_cast<std::uint32_t>(value), kQuiet) << program;
    }
  }
}

TEST_P(Sequences, RefusesWhatIsNoProgramOnTheColumns) {
  const std::vector<std::int32_t> x = {3, 1, 4};
  const absl::Status wrong = Error("map x * 2.5", {View(x)});
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()),
              HasSubstr("column 9: 2.5 is not an int32"));
  EXPECT_THAT(std::string(Error("zip x y", {View(x)}).message()),
              HasSubstr("column 7: there is no sequence 'y'"));
  EXPECT_THAT(std::string(Error("map (x, x, x, x, x)", {View(x)}).message()),
              HasSubstr("the result has 5 columns; there can be 4"));
  EXPECT_THAT(std::string(Error("x", std::vector(5, View(x))).message()),
              HasSubstr("there can be 4 columns, not 5"));
}

TEST_P(Sequences, RefusesSizesThatDoNotFit) {
  const std::vector<std::int32_t> x = {3, 1, 4};
  const std::vector<std::int32_t> y = {1, 2};
  const absl::Status zip = Error("zip x y |> map x + y", {View(x), View(y)});
  EXPECT_EQ(zip.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(zip.message()), HasSubstr("zip of 3 and 2 elements"));
  // Only the run knows.
  const absl::Status filtered =
      Error("s = x |> filter x > 3; zip s y", {View(x), View(y)});
  EXPECT_EQ(filtered.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(filtered.message()),
              HasSubstr("zip of 1 and 2 elements"));
}

TEST_P(Sequences, SaysWhatFailedInARun) {
  const std::vector<std::int32_t> x = {1, 7};
  const std::vector<std::int32_t> none;
  const absl::Status outside = Error("map v -> x[v]", {View(x)});
  EXPECT_EQ(outside.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(outside.message()),
              HasSubstr("element 1 reads x[7], and x has 2 elements"));
  // Also what makes no difference: a condition between equal values, the side
  // that a constant does not take.
  for (const char* program :
       {"map v -> (x[v + 9] > 0 ? v : v)",
        "zip x x |> map v, w -> (x[v + 9] > 0 ? v : w)",
        "map v -> (int32(1) < int32(2) ? v : x[v + 9])",
        "map v -> (int32(1), v) |> map a, v -> (a > 0 ? v : x[v + 9])",
        "map v -> (v > 9, v) |> map a, v -> (false && a ? x[v + 9] : v)"}) {
    const absl::Status dropped = Error(program, {View(x)});
    EXPECT_EQ(dropped.code(), absl::StatusCode::kOutOfRange) << program;
    EXPECT_THAT(std::string(dropped.message()),
                HasSubstr("element 0 reads x[10], and x has 2 elements"))
        << program;
  }
  const absl::Status nothing =
      Error("reduce a, b -> b unchecked", {View(none)});
  EXPECT_EQ(nothing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(nothing.message()), HasSubstr("reduce of nothing"));
  EXPECT_THAT(std::string(Error("last", {View(none)}).message()),
              HasSubstr("last of nothing"));
}

TEST_P(Sequences, SaysWhatIsReadOutsideThoughNothingComesOfIt) {
  const std::vector<std::int32_t> x = {1, 7};
  for (const char* program :
       {"zip x x |> map v, w -> x[i + 1] > 0 ? v : w",
        "map v -> (v + 1, v + 3) |> map v, w -> x[i + 1] > 0 ? v + 2 : w",
        "map v -> (v + 1, v + 3) |> filter v, w -> x[i + 1] > 0 ? v + 2 < 5 : "
        "w < 5",
        "map v -> x[i + 1] |> reduce a, b -> a unchecked"}) {
    const absl::Status outside = Error(program, {View(x)});
    EXPECT_EQ(outside.code(), absl::StatusCode::kOutOfRange) << program;
    EXPECT_THAT(std::string(outside.message()),
                HasSubstr("element 1 reads x[2], and x has 2 elements"))
        << program;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Sequences, testing::ValuesIn(Registry<SequenceProgram>::Get().All()),
    [](const auto& info) {
      return absl::StrCat(info.param.backend, "_", info.param.variant);
    });

// --- The interface ---

class SequenceRun : public testing::Test {
 protected:
  absl::Status Run(const std::string& program,
                   const SequenceProgram::Outputs& outputs,
                   SequenceProgram::Options options = {}) {
    options.program = program;
    return (*Registry<SequenceProgram>::Get().Create(*OpenBackend("serial")))
        ->Run({View(x_)}, outputs, options);
  }

  const std::vector<std::int32_t> x_ = {3, -1, 4};
  std::vector<std::int32_t> a_ = std::vector<std::int32_t>(3);
  std::vector<std::int32_t> b_ = std::vector<std::int32_t>(3);
  std::int64_t count_ = -1;
  const ArrayView count_view_ = ArrayView(absl::Span<std::int64_t>(&count_, 1));
};

TEST_F(SequenceRun, WritesColumnsAndCount) {
  ASSERT_EQ(Run("filter x > 0 |> map (x, -x)",
                {{ArrayView(absl::MakeSpan(a_)), ArrayView(absl::MakeSpan(b_))},
                 count_view_}),
            absl::OkStatus());
  EXPECT_EQ(count_, 2);
  EXPECT_EQ(a_[1], 4);
  EXPECT_EQ(b_[0], -3);
}

TEST_F(SequenceRun, RefusesOutputsThatTheResultDoesNotHave) {
  std::vector<std::uint8_t> bytes(3);
  const ArrayView a(absl::MakeSpan(a_));
  EXPECT_THAT(std::string(Run("map -x", {{a}, count_view_}).message()),
              HasSubstr("the size of the result is known without a run"));
  EXPECT_THAT(
      std::string(
          Run("map -x", {{a, ArrayView(absl::MakeSpan(bytes))}}).message()),
      HasSubstr("the result has 1 column, and there is an array for one more"));
  EXPECT_THAT(std::string(Run("map (x, x)", {{a}}).message()),
              HasSubstr("'out_y' is not given"));
  EXPECT_THAT(std::string(Run("filter x > 0", {{a}}).message()),
              HasSubstr("'count' is not given"));
  SequenceProgram::Options wants_three;
  wants_three.output_z = true;
  EXPECT_THAT(std::string(Run("map (x, x)",
                              {{a, ArrayView(absl::MakeSpan(b_))}}, wants_three)
                              .message()),
              HasSubstr("the result has 2 columns, so nothing is for "
                        "--output-z"));
}

TEST_F(SequenceRun, RefusesAnOutputThatIsAnInput) {
  const ArrayView x(const_cast<std::int32_t*>(x_.data()), 3, Memory::Host());
  EXPECT_THAT(std::string(Run("map -x", {{x}}).message()),
              HasSubstr("'x' and 'out' share memory"));
}

}  // namespace
}  // namespace concord
