// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/described_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace concord {
namespace {

using ::testing::Eq;
using ::testing::Optional;
using ::testing::Pair;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::lowest();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostUnsigned =
    std::numeric_limits<std::uint64_t>::max();

TEST(ValuesBetween, WholeBoundsAreExact) {
  EXPECT_THAT(ValuesBetween<std::int64_t>(kLowest + 1, kMost - 1),
              Optional(Pair(kLowest + 1, kMost - 1)));
  EXPECT_THAT(ValuesBetween<std::uint64_t>(kMostUnsigned - 1, {}),
              Optional(Pair(kMostUnsigned - 1, kMostUnsigned)));
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(ValuesBetween<std::uint64_t>(odd, odd), Optional(Pair(odd, odd)));
  EXPECT_THAT(ValuesBetween<std::int64_t>(odd, odd - 1), Eq(std::nullopt));
}

TEST(ValuesBetween, BoundsOutsideTheTypeAreThoseOfTheType) {
  EXPECT_THAT(ValuesBetween<std::int8_t>(kLowest, kMostUnsigned),
              Optional(Pair(-128, 127)));
  EXPECT_THAT(ValuesBetween<std::uint64_t>(-1, 1e30),
              Optional(Pair(0u, kMostUnsigned)));
  EXPECT_THAT(ValuesBetween<std::int64_t>(-1e30, kMostUnsigned),
              Optional(Pair(kLowest, kMost)));
}

TEST(ValuesBetween, ThereMayBeNone) {
  EXPECT_THAT(ValuesBetween<std::int64_t>(std::ldexp(1.0, 63), {}),
              Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<std::int64_t>(std::uint64_t{1} << 63, {}),
              Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<std::uint64_t>({}, -1), Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<std::uint8_t>({}, -0.5), Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<std::int32_t>(2147483647.5, {}), Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<std::uint8_t>(2.5, 2.75), Eq(std::nullopt));
  EXPECT_THAT(ValuesBetween<float>(1e300, {}), Eq(std::nullopt));
}

TEST(ValuesBetween, HalvesAreRoundedInwards) {
  EXPECT_THAT(ValuesBetween<std::int32_t>(-2.5, 2.5), Optional(Pair(-2, 2)));
  EXPECT_THAT(ValuesBetween<std::int32_t>(-2147483648.5, 2147483647.5),
              Optional(Pair(std::numeric_limits<std::int32_t>::lowest(),
                            std::numeric_limits<std::int32_t>::max())));
}

TEST(ValuesBetween, FloatsAreBetweenWholeBounds) {
  const std::int64_t odd = (std::int64_t{1} << 24) + 1;
  EXPECT_THAT(ValuesBetween<float>(odd, {})->first, 16777218.0f);
  EXPECT_THAT(ValuesBetween<float>(-odd, odd),
              Optional(Pair(-16777216.0f, 16777216.0f)));
  // 2^64 and 2^63 are the nearest floats, and over the bounds.
  EXPECT_THAT(ValuesBetween<double>({}, kMostUnsigned)->second,
              std::ldexp(1.0, 64) - 2048);
  EXPECT_THAT(ValuesBetween<double>({}, kMost)->second,
              std::ldexp(1.0, 63) - 1024);
  EXPECT_THAT(ValuesBetween<double>(kLowest, {})->first, -std::ldexp(1.0, 63));
  EXPECT_THAT(ValuesBetween<double>(kMost, kMost), Eq(std::nullopt));
}

TEST(ValuesBetween, FloatsAreBetweenBoundsOfFloat64) {
  const auto [first, last] = *ValuesBetween<float>(0.1, 0.1 + 1e-8);
  EXPECT_GE(static_cast<double>(first), 0.1);
  EXPECT_LE(static_cast<double>(last), 0.1 + 1e-8);
  EXPECT_THAT(ValuesBetween<double>(0.1, 0.1), Optional(Pair(0.1, 0.1)));
}

}  // namespace
}  // namespace concord
