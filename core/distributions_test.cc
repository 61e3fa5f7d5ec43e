// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/distributions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "absl/base/casts.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Random, IsTheSplitMix64ThatEverybodyHas) {
  // The first outputs of the reference implementation for seed 1234567.
  EXPECT_EQ(RandomBits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(RandomBits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(RandomBits(1234567, 2), 9817491932198370423u);
}

TEST(Random, BelowStaysBelow) {
  Random random(1);
  std::vector<int> seen(7);
  for (int i = 0; i < 1000; ++i) ++seen[random.Below(7)];
  EXPECT_THAT(seen, Each(::testing::Gt(90)));
}

TEST(Distributions, ValuesArePinnedForAllTime) {
  // A change here makes every recorded seed mean something else.
  const auto drawn = Draw("uniform", ElementType::kInt32, 3, 7);
  ASSERT_TRUE(drawn.ok());
  EXPECT_THAT(drawn->span<std::int32_t>(),
              ElementsAre(static_cast<std::int32_t>(RandomBits(7, 0) >> 32),
                          static_cast<std::int32_t>(RandomBits(7, 1) >> 32),
                          static_cast<std::int32_t>(RandomBits(7, 2) >> 32)));
}

TEST(Distributions, EveryOneGivesTheSizeAskedForAndRepeats) {
  for (ElementType type : AllElementTypes()) {
    for (const std::string& name : DistributionsFor(type)) {
      for (std::int64_t size : {0, 1, 1000}) {
        const auto first = Draw(name, type, size, 42);
        ASSERT_TRUE(first.ok()) << name;
        EXPECT_EQ(first->size(), size);
        EXPECT_EQ(*first, *Draw(name, type, size, 42)) << name;
      }
    }
  }
}

TEST(Distributions, UniformFloatsFillTheIntervalAndSortedOnesAreSorted) {
  const auto uniform = Draw("uniform", ElementType::kFloat32, 10000, 1);
  const auto values = uniform->span<float>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1.0f);
  EXPECT_LT(*least, -0.99f);
  EXPECT_LT(*most, 1.0f);
  EXPECT_GT(*most, 0.99f);
  const auto sorted = Draw("ascending", ElementType::kFloat32, 10000, 1);
  EXPECT_TRUE(std::is_sorted(sorted->span<float>().begin(),
                             sorted->span<float>().end()));
}

TEST(Distributions, NegativeZeroKeepsItsSign) {
  const auto zeros = Draw("negative_zero", ElementType::kFloat32, 100, 1);
  for (float value : zeros->span<float>()) {
    EXPECT_TRUE(value == 0 && std::signbit(value));
  }
  EXPECT_FALSE(Draw("negative_zero", ElementType::kInt32, 1, 1).ok());
}

TEST(Distributions, SpecialHoldsEverySpecialValue) {
  const auto special = Draw("special", ElementType::kFloat64, 10000, 3);
  bool nan = false;
  bool positive = false;
  bool negative = false;
  bool negative_zero = false;
  for (double value : special->span<double>()) {
    nan |= std::isnan(value);
    positive |= std::isinf(value) && value > 0;
    negative |= std::isinf(value) && value < 0;
    negative_zero |= value == 0 && std::signbit(value);
  }
  EXPECT_TRUE(nan && positive && negative && negative_zero);
}

// By their words: quiet of both signs, with a payload, signalling.
TEST(Distributions, SpecialHoldsNansOfOtherBits) {
  std::set<std::uint32_t> of_float32;
  const auto narrow = Draw("special", ElementType::kFloat32, 10000, 3);
  for (float value : narrow->span<float>()) {
    if (std::isnan(value)) {
      of_float32.insert(absl::bit_cast<std::uint32_t>(value));
    }
  }
  EXPECT_THAT(of_float32,
              ElementsAre(0x7fc00000u, 0x7fc01538u, 0xff8004d2u, 0xffc00000u));
  std::set<std::uint64_t> of_float64;
  const auto wide = Draw("special", ElementType::kFloat64, 10000, 3);
  for (double value : wide->span<double>()) {
    if (std::isnan(value)) {
      of_float64.insert(absl::bit_cast<std::uint64_t>(value));
    }
  }
  EXPECT_THAT(of_float64,
              ElementsAre(0x7ff8000000000000u, 0x7ff8000000001538u,
                          0xfff00000000004d2u, 0xfff8000000000000u));
}

TEST(Distributions, AnUnknownNameListsThoseThereAre) {
  const auto drawn = Draw("special", ElementType::kInt32, 1, 1);
  EXPECT_EQ(drawn.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(drawn.status().message()),
      HasSubstr("no distribution 'special' of int32; there are uniform"));
}

}  // namespace
}  // namespace concord
