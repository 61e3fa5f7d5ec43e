// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/max_subarray/max_subarray.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord::max_subarray {
namespace {

using ::testing::HasSubstr;

const bool kDifferential = AddDifferentialSuite("max_subarray");

class MaxSubarrayOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  void ExpectBest(const std::vector<T>& in, SumOf<T> sum, std::int64_t first,
                  std::int64_t last) {
    const auto best = ComputeMaxSubarray<T>(Open(GetParam()), in);
    ASSERT_TRUE(best.ok()) << best.status();
    EXPECT_EQ(best->sum, sum);
    EXPECT_EQ(best->first, first);
    EXPECT_EQ(best->last, last);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, MaxSubarrayOn, CpuBackends(),
                         NameOfParameter);

TEST_P(MaxSubarrayOn, TheExampleOfTheTextbooks) {
  ExpectBest<std::int32_t>({-2, 1, -3, 4, -1, 2, 1, -5, 4}, 6, 3, 7);
}

TEST_P(MaxSubarrayOn, ARunThatBeginsAtTheFirstElement) {
  ExpectBest<std::int32_t>({1, 2, 3}, 6, 0, 3);
  ExpectBest<std::int32_t>({5}, 5, 0, 1);
}

TEST_P(MaxSubarrayOn, NothingButNegativeElements) {
  ExpectBest<std::int8_t>({-3, -1, -2, -1}, -1, 1, 2);
  ExpectBest<std::int64_t>({std::numeric_limits<std::int64_t>::min()},
                           std::numeric_limits<std::int64_t>::min(), 0, 1);
}

TEST_P(MaxSubarrayOn, EmptyInputGivesTheLowestSum) {
  ExpectBest<std::int32_t>({}, std::numeric_limits<std::int64_t>::min(), 0, 0);
  ExpectBest<std::uint8_t>({}, 0, 0, 0);
  ExpectBest<float>({}, -HUGE_VAL, 0, 0);
}

TEST_P(MaxSubarrayOn, OfEqualRunsTheFirstBeginningThenTheFirstEnd) {
  ExpectBest<std::int32_t>({0, 2, 0, -2, 2, -5, 2}, 2, 0, 2);
  ExpectBest<std::int32_t>({0, 0, 0}, 0, 0, 1);
  ExpectBest<std::uint32_t>({0, 7, 0}, 7, 0, 2);
}

TEST_P(MaxSubarrayOn, SumsAreWiderThanElements) {
  const std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> in(100'000, largest);
  ExpectBest<std::int32_t>(in, std::int64_t{100'000} * largest, 0, 100'000);
  in[50'000] = std::numeric_limits<std::int32_t>::min();
  ExpectBest<std::int32_t>(in, std::int64_t{99'998} * largest - 1, 0, 100'000);
}

// At each place of a long array: every lane, leaf and chunk has its turn.
TEST_P(MaxSubarrayOn, APeakAnywhere) {
  const std::int64_t n = 300'000;
  std::vector<std::int32_t> in(n, -1);
  for (std::int64_t at : {0, 1, 511, 512, 4095, 4096, 8191, 131'071, 131'072,
                          262'143, 262'144, 299'998}) {
    in[at] = in[at + 1] = 3;
    ExpectBest<std::int32_t>(in, 6, at, at + 2);
    in[at] = in[at + 1] = -1;
  }
}

TEST_P(MaxSubarrayOn, SpecialFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto best =
      ComputeMaxSubarray<float>(Open(GetParam()), std::vector<float>{1, nan});
  ASSERT_TRUE(best.ok());
  EXPECT_TRUE(std::isnan(best->sum));
  EXPECT_EQ(best->first, 0);
  EXPECT_EQ(best->last, 2);
  ExpectBest<float>({1, HUGE_VALF, -2}, HUGE_VAL, 0, 2);
  ExpectBest<double>({4, -HUGE_VAL, 3}, 4, 0, 1);
}

using IndexSummary = Summary<std::int64_t, std::int64_t>;

bool operator==(const IndexSummary& a, const IndexSummary& b) {
  return a.sum == b.sum && a.prefix == b.prefix && a.suffix == b.suffix &&
         a.best == b.best && a.prefix_end == b.prefix_end &&
         a.suffix_begin == b.suffix_begin && a.best_begin == b.best_begin &&
         a.best_end == b.best_end;
}

// All arrays of up to seven elements in {-1, 0, 1}, which are full of ties:
// wherever they are cut, the summary is that of Kadane's loop.
TEST(MaxSubarraySummary, CombinesToTheSameWhereverItIsCut) {
  for (int n = 2; n <= 7; ++n) {
    int arrays = 1;
    for (int i = 0; i < n; ++i) arrays *= 3;
    for (int code = 0; code < arrays; ++code) {
      std::vector<int> in;
      for (int rest = code, i = 0; i < n; ++i, rest /= 3) {
        in.push_back(rest % 3 - 1);
      }
      const auto whole = SummaryOfLeaf<std::int64_t>(in.data(), 0, n);
      for (int cut = 1; cut < n; ++cut) {
        const auto joined =
            Combine(SummaryOfLeaf<std::int64_t>(in.data(), 0, cut),
                    SummaryOfLeaf<std::int64_t>(in.data(), cut, n));
        ASSERT_TRUE(joined == whole) << "array " << code << " cut at " << cut;
      }
    }
  }
}

TEST(MaxSubarraySpec, RefusesSumsThatDoNotFit) {
  const AlgorithmSpec& spec = **FindSpec("max_subarray");
  Case overflowing;
  overflowing.inputs.emplace(
      "in", HostArray::Of<std::int64_t>(
                {std::numeric_limits<std::int64_t>::max(), 1, -5}));
  EXPECT_THAT(spec.OutputsOf(overflowing).status().message(),
              HasSubstr("does not fit int64"));
}

}  // namespace
}  // namespace concord::max_subarray
