// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "concord/core/placing.h"

namespace concord {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

HostArray Floats(std::initializer_list<float> values) {
  return HostArray::Of<float>(values);
}

HostArray Ints(std::initializer_list<std::int32_t> values) {
  return HostArray::Of<std::int32_t>(values);
}

float SentinelFloat() {
  float value;
  std::memset(&value, kSentinelByte, sizeof(value));
  return value;
}

TEST(Comparison, EqualBitsAreRight) {
  EXPECT_FALSE(Compare(Ints({1, -2, 3}), Ints({1, -2, 3})).has_value());
  EXPECT_FALSE(Compare(Floats({0.1f, -0.0f}), Floats({0.1f, -0.0f})));
  EXPECT_FALSE(Compare(Ints({}), Ints({})).has_value());
}

TEST(Comparison, AnyNanEqualsAnyOther) {
  EXPECT_FALSE(Compare(Floats({-kNan}), Floats({kNan})).has_value());
  EXPECT_TRUE(Compare(Floats({kNan}), Floats({1})).has_value());
  EXPECT_TRUE(Compare(Floats({1}), Floats({kNan}), {1e30}).has_value());
}

TEST(Comparison, NansMayHaveBits) {
  const HostArray wanted = Floats({1, kNan, kNan});
  const HostArray other = Floats({1, -kNan, 2});
  const std::vector<double> wide(3, 1e30);
  EXPECT_FALSE(Compare(wanted, wanted, {}, /*nans_have_bits=*/true));
  EXPECT_FALSE(Compare(wanted, wanted, wide, /*nans_have_bits=*/true));
  for (const std::vector<double>& tolerance : {std::vector<double>(), wide}) {
    const auto difference =
        Compare(other, wanted, tolerance, /*nans_have_bits=*/true);
    ASSERT_TRUE(difference.has_value());
    EXPECT_EQ(difference->wrong, 2);
    EXPECT_EQ(difference->first, 1);
  }
  EXPECT_EQ(Compare(Floats({-kNan}), Floats({kNan}), {}, true)->ToString(),
            "1 of 1 elements differs, first [0]: nan:ffc00000 instead of "
            "nan:7fc00000; worst error inf (inf ULP)");
  // Of what depends on the order nothing is asked.
  EXPECT_FALSE(Compare(Floats({-kNan}), Floats({kNan}), {kInfinity}, true));
}

TEST(Comparison, NansOfPayloadsAreToldApart) {
  const auto array = [](std::uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return HostArray::Of<double>({value});
  };
  const HostArray wanted = array(0xfff0'0000'0000'0001);
  for (const std::uint64_t bits :
       {UINT64_C(0xfff0'0000'0000'0002), UINT64_C(0xfff8'0000'0000'0001),
        UINT64_C(0x7ff0'0000'0000'0001)}) {
    EXPECT_TRUE(Compare(array(bits), wanted, {}, true).has_value());
    EXPECT_FALSE(Compare(array(bits), wanted, {}, false).has_value());
  }
  EXPECT_FALSE(
      Compare(array(0xfff0'0000'0000'0001), wanted, {}, true).has_value());
}

TEST(Comparison, ZerosDifferOnlyWithoutTolerance) {
  EXPECT_TRUE(Compare(Floats({0.0f}), Floats({-0.0f})).has_value());
  EXPECT_FALSE(Compare(Floats({0.0f}), Floats({-0.0f}), {0.0}).has_value());
}

TEST(Comparison, ToleranceIsAbsoluteAndByElement) {
  const HostArray wanted = Floats({1, 1, kInfinity});
  const std::vector<double> tolerance = {0.5, 0.25, 1e30};
  EXPECT_FALSE(Compare(Floats({1.5f, 0.75f, kInfinity}), wanted, tolerance));
  const auto difference =
      Compare(Floats({1.5f, 1.5f, 1e30f}), wanted, tolerance);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->first, 1);
  EXPECT_EQ(difference->wrong, 2);
}

TEST(Comparison, SentinelIsWrongWhateverTheTolerance) {
  ASSERT_LT(std::fabs(SentinelFloat()), 1e-6);
  const auto difference =
      Compare(Floats({0, SentinelFloat(), 7}), Floats({0, 0, 0}),
              {1, 1, std::numeric_limits<double>::infinity()});
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->wrong, 1);
  EXPECT_EQ(difference->not_written, 1);
  EXPECT_FALSE(Compare(Floats({SentinelFloat()}), Floats({SentinelFloat()})));
}

TEST(Comparison, ReportHasFirstCountAndWorst) {
  const auto difference = Compare(Ints({1, 8, 3, 104}), Ints({1, 9, 3, 4}));
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->ToString(),
            "2 of 4 elements differ, first [1]: 8 instead of 9; worst error "
            "100 (100 ULP)");
  std::int32_t sentinel;
  std::memset(&sentinel, kSentinelByte, sizeof(sentinel));
  EXPECT_EQ(Compare(Ints({sentinel}), Ints({sentinel + 2}))->ToString(),
            "1 of 1 elements differs (1 never written), first [0]: "
            "-1515870811 instead of -1515870809; worst error 2 (2 ULP)");
  EXPECT_EQ(Compare(Floats({2}), Floats({1}), {0.5})->ToString(),
            "1 of 1 elements differs, first [0]: 2 instead of 1 within 0.5; "
            "worst error 1 (8.38861e+06 ULP)");
}

TEST(Comparison, PiecesAreOneArray) {
  const HostArray wanted = Ints({1, 2, 3, 4, 5});
  const std::vector<double> exact;
  Comparison comparison(wanted, exact, /*nans_have_bits=*/false);
  comparison.Add(Ints({1, 2}));
  comparison.Add(Ints({3, 9}));
  // What lies past the end is nobody's business.
  comparison.Add(Ints({6, 77, 78}));
  ASSERT_TRUE(comparison.result().has_value());
  EXPECT_EQ(comparison.result()->first, 3);
  EXPECT_EQ(comparison.result()->wrong, 2);
  EXPECT_EQ(comparison.result()->compared, 5);
}

TEST(UlpDistance, CountsValuesBetween) {
  EXPECT_EQ(UlpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(UlpDistance(-0.0f, 0.0f), 0);
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(UlpDistance(-tiny, tiny), 2);
  EXPECT_EQ(UlpDistance<std::int8_t>(-128, 127), 255);
  EXPECT_EQ(UlpDistance(kNan, kNan), 0);
  EXPECT_TRUE(std::isinf(UlpDistance(kNan, -kNan)));
  EXPECT_TRUE(std::isinf(UlpDistance(kNan, 1.0f)));
  EXPECT_EQ(
      UlpDistance(std::numeric_limits<std::uint64_t>::max(), std::uint64_t{0}),
      0x1p64);
}

}  // namespace
}  // namespace concord
