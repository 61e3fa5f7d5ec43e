// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where the keys of each digit go, for counts and stretches of all kinds: by
// what has to hold of every plan.

#include "concord/algorithms/radix_sort/gpus/top_digit_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace concord::radix_sort {
namespace {

using Digit = TopDigitPlan::Digit;

struct Case {
  int bits;
  std::vector<std::uint32_t> counts;  // as PlanTopDigits takes them
  std::vector<std::int64_t> steps;
  std::vector<Stretch> out;

  int members() const { return static_cast<int>(out.size()); }
  std::int64_t count(int member, int digit) const {
    return counts[static_cast<std::size_t>(member * kMostTopDigits + digit)];
  }
  std::int64_t keys() const { return out.back().end; }
};

// Stretches of the output as even as can be, or all of it with the last member
// but one.
Case Drawn(int members, int bits, std::int64_t most, bool even, unsigned seed) {
  std::mt19937 random(seed);
  Case c = {bits,
            std::vector<std::uint32_t>(
                static_cast<std::size_t>(members * kMostTopDigits)),
            {},
            {}};
  std::int64_t n = 0;
  for (int i = 0; i < members; ++i) {
    for (int d = 0; d < 1 << bits; ++d) {
      const auto count = static_cast<std::uint32_t>(std::max<std::int64_t>(
          0, static_cast<std::int64_t>(random() % (2 * most + 1)) - most / 2));
      c.counts[static_cast<std::size_t>(i * kMostTopDigits + d)] = count;
      n += count;
    }
  }
  const int owner = std::max(0, members - 2);
  for (int i = 0; i < members; ++i) {
    const auto edge = [&](int k) {
      if (even) return n * k / members;
      return k <= owner ? std::int64_t{0} : n;
    };
    c.out.push_back({edge(i), edge(i + 1)});
    c.steps.push_back(SampleStepFor(n));
  }
  return c;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  unsigned seed = 0;
  for (const int members : {1, 2, 3, 4, 7, 8}) {
    for (const int bits : {1, 3, 5, 8}) {
      for (const std::int64_t most : {0, 1, 40, 1'000'000}) {
        for (const bool even : {true, false}) {
          cases.push_back(Drawn(members, bits, most, even, ++seed));
        }
      }
    }
  }
  return cases;
}

// Before the partition.
TopDigitPlan RoomOf(const Case& c) {
  return PlanTopDigits(c.counts.data(), c.steps.data(), c.out, c.bits);
}

TopDigitPlan PlanOf(const Case& c) {
  TopDigitPlan plan = RoomOf(c);
  EXPECT_TRUE(plan.Complete(c.counts.data()));
  return plan;
}

TEST(TopDigitPlan, DigitsFollowEachOtherInTheOutput) {
  for (const Case& c : Cases()) {
    const TopDigitPlan plan = PlanOf(c);
    ASSERT_EQ(plan.digits.size(), std::size_t{1} << c.bits);
    std::int64_t next = 0;
    for (const Digit& digit : plan.digits) {
      EXPECT_EQ(digit.first, next);
      next += digit.size;
    }
    EXPECT_EQ(next, c.keys());
  }
}

TEST(TopDigitPlan, PartsOfADigitBeginInLinesBehindTheOwners) {
  for (const Case& c : Cases()) {
    const TopDigitPlan plan = PlanOf(c);
    for (int d = 0; d < 1 << c.bits; ++d) {
      const Digit& digit = plan.digits[static_cast<std::size_t>(d)];
      EXPECT_EQ(digit.arrived % kLineElements, 0);
      EXPECT_EQ(digit.begin[digit.owner], 0);
      std::int64_t next = 0;
      std::int64_t size = 0;
      for (int round = 0; round < c.members(); ++round) {
        const int i = (digit.owner + round) % c.members();
        EXPECT_EQ(digit.begin[i] % kLineElements, 0);
        EXPECT_EQ(digit.waits[i] % kLineElements, 0);
        EXPECT_GE(digit.begin[i], next);
        EXPECT_LT(digit.begin[i], next + kLineElements);
        EXPECT_EQ(digit.part[i], c.count(i, d));
        next = digit.begin[i] + digit.part[i];
        size += digit.part[i];
      }
      EXPECT_EQ(digit.size, size);
    }
  }
}

// So that what is written across a border is of few digits.
TEST(TopDigitPlan, TheOwnerHasTheMiddleOfADigit) {
  for (const Case& c : Cases()) {
    for (const Digit& digit : PlanOf(c).digits) {
      if (digit.size == 0) continue;
      const Stretch& owned = c.out[static_cast<std::size_t>(digit.owner)];
      const std::int64_t middle = digit.first + digit.size / 2;
      EXPECT_LE(owned.begin, middle);
      EXPECT_LT(middle, owned.end);
    }
  }
}

TEST(TopDigitPlan, NoTwoRoomsShareMemory) {
  for (const Case& c : Cases()) {
    const TopDigitPlan plan = PlanOf(c);
    for (int i = 0; i < c.members(); ++i) {
      std::vector<std::pair<std::int64_t, std::int64_t>> taken;
      const auto take = [&](std::int64_t first, std::int64_t size,
                            std::int64_t room) {
        EXPECT_GE(first, 0);
        EXPECT_LE(first + size, room);
        if (size > 0) taken.emplace_back(first, first + size);
      };
      for (const Digit& digit : plan.digits) {
        if (digit.owner == i) {
          take(digit.arrived, plan.PartsOf(digit).end[c.members() - 1],
               plan.arriving[i]);
        } else {
          take(plan.arriving[i] + digit.waits[i], digit.room[i],
               plan.arriving[i] + plan.waiting[i]);
        }
      }
      std::sort(taken.begin(), taken.end());
      for (std::size_t k = 1; k < taken.size(); ++k) {
        EXPECT_LE(taken[k - 1].second, taken[k].first);
      }
    }
  }
}

// What a kernel does with the places, done here.
TEST(TopDigitPlan, TheLastKeysFillAllEmptyPlaces) {
  for (const Case& c : Cases()) {
    const TopDigitPlan plan = PlanOf(c);
    for (const Digit& digit : plan.digits) {
      if (digit.size > 10'000) continue;
      const ArrivedParts parts = plan.PartsOf(digit);
      ASSERT_EQ(parts.keys(), digit.size);
      ASSERT_LE(parts.empty(), kMostEmpty);
      constexpr int kEmpty = -1;
      std::vector<int> places(static_cast<std::size_t>(std::max(
                                  parts.end[parts.count - 1], digit.size)),
                              kEmpty);
      int keys = 0;
      for (int k = 0; k < parts.count; ++k) {
        for (std::int64_t at = parts.begin[k]; at < parts.end[k]; ++at) {
          places[static_cast<std::size_t>(at)] = keys++;
        }
      }
      for (int i = 0; i < parts.empty(); ++i) {
        auto& place = places[static_cast<std::size_t>(parts.EmptyPlace(i))];
        EXPECT_EQ(place, kEmpty);
        place = places[static_cast<std::size_t>(parts.KeyBeyond(i))];
      }
      places.resize(static_cast<std::size_t>(digit.size));
      std::sort(places.begin(), places.end());
      for (int key = 0; key < keys; ++key) {
        ASSERT_EQ(places[static_cast<std::size_t>(key)], key);
      }
    }
  }
}

TEST(TopDigitPlan, PartsWithoutRoomAreNoticed) {
  for (Case c : Cases()) {
    TopDigitPlan plan = RoomOf(c);
    const int digit = 1 % (1 << c.bits);
    const int member = c.members() - 1;
    auto& count =
        c.counts[static_cast<std::size_t>(member * kMostTopDigits + digit)];
    const auto room = static_cast<std::uint32_t>(
        plan.digits[static_cast<std::size_t>(digit)].room[member]);
    EXPECT_GE(room, count);
    count = room;
    EXPECT_TRUE(RoomOf(c).Complete(c.counts.data()));
    count = room + 1;
    EXPECT_FALSE(plan.Complete(c.counts.data()));
  }
}

// A hundred thousand draws of each sample, none of which needs more.
TEST(TopDigitPlan, ChanceFindsRoom) {
  std::mt19937_64 random(7);
  for (const double sampled : {1.0, 30.0, 1e3, 1e5}) {
    constexpr std::int64_t kStep = 256;
    // Vectors of four equal keys are sampled.
    std::poisson_distribution<std::int64_t> vectors(sampled / 4);
    for (int draw = 0; draw < 100'000; ++draw) {
      const std::int64_t estimate = 4 * vectors(random) * kStep;
      ASSERT_GE(static_cast<double>(RoomFor(estimate, kStep)), sampled * kStep);
    }
  }
}

TEST(TopDigitPlan, DigitsAreFewAndLarge) {
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 32, 4), 5);
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 32, 2), 5);
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 30, 4), 3);
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 30, 3), 5);
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 28, 2), 2);
  EXPECT_EQ(TopBitsFor(std::int64_t{1} << 40, 8), kMostTopBits);
}

TEST(TopDigitPlan, OneDigitWithMoreThanChanceGivesIsACrowd) {
  constexpr int kMembers = 3;
  constexpr int kBits = 4;
  std::vector<std::uint32_t> counts(kMembers * kMostTopDigits);
  for (int i = 0; i < kMembers; ++i) {
    for (int d = 0; d < 1 << kBits; ++d) {
      counts[static_cast<std::size_t>(i * kMostTopDigits + d)] = 100'000;
    }
  }
  EXPECT_FALSE(DigitsCrowd(counts.data(), kMembers, kBits));
  counts[2 * kMostTopDigits + 7] += 30'000;
  EXPECT_FALSE(DigitsCrowd(counts.data(), kMembers, kBits));
  counts[1 * kMostTopDigits + 7] += 20'000;
  EXPECT_TRUE(DigitsCrowd(counts.data(), kMembers, kBits));
}

}  // namespace
}  // namespace concord::radix_sort
