// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace concord {
namespace {

using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Number, IsReadExactly) {
  EXPECT_EQ(Number::Parse("18446744073709551615")->As<std::uint64_t>(),
            ~std::uint64_t{0});
  EXPECT_EQ(Number::Parse("-5")->As<std::int64_t>(), -5);
  EXPECT_EQ(Number::Parse("0.5")->As<double>(), 0.5);
  EXPECT_EQ(Number::Parse("-inf")->As<double>(), -kInf);
  EXPECT_TRUE(Number::Parse("nan")->IsNan());
  EXPECT_EQ(Number::Parse("five").status().message(), "'five' is not a number");
  EXPECT_THAT(std::string(Number::Parse("1e400").status().message()),
              HasSubstr("no element type can hold 1e400"));
}

TEST(Number, FitsTypesThatHaveIt) {
  EXPECT_TRUE(Number(-128).Fits(ElementType::kInt8));
  EXPECT_FALSE(Number(-1).Fits(ElementType::kUInt64));
  EXPECT_TRUE(Number(1e3).Fits(ElementType::kInt32));
  EXPECT_FALSE(Number(0x1p63).Fits(ElementType::kInt64));
  EXPECT_FALSE(Number(kNan).Fits(ElementType::kInt8));
  EXPECT_TRUE(Number(kNan).Fits(ElementType::kFloat32));
  EXPECT_TRUE(Number(-kInf).Fits(ElementType::kFloat32));
  EXPECT_TRUE(Number(1e39).Fits(ElementType::kFloat64));
  EXPECT_FALSE(Number(1e39).Fits(ElementType::kFloat32));
}

TEST(Number, OnlyNanIsNan) {
  EXPECT_TRUE(Number(kNan).IsNan());
  EXPECT_FALSE(Number(kInf).IsNan());
  EXPECT_FALSE(Number(0).IsNan());
  EXPECT_FALSE(Number(~std::uint64_t{0}).IsNan());
}

TEST(Number, IsWrittenWithAllItsDigits) {
  EXPECT_EQ(Number(std::numeric_limits<std::int64_t>::lowest()).ToString(),
            "-9223372036854775808");
  EXPECT_EQ(Number(~std::uint64_t{0}).ToString(), "18446744073709551615");
  EXPECT_EQ(Number(2.0).ToString(), "2");
  EXPECT_EQ(Number(1234567.25).ToString(), "1234567.25");
  EXPECT_EQ(Number(1e30).ToString(), "1e+30");
  EXPECT_EQ(Number(-kInf).ToString(), "-inf");
}

}  // namespace
}  // namespace concord
