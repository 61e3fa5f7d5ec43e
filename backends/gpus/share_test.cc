// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/gpus/share.h"

#include <vector>

#include "concord/backends/gpus/uneven_share.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::Each;

// By the definition: whose stretch the byte is in.
int OwnerOf(const GroupPlace& place, std::int64_t byte) {
  return static_cast<int>((place.offset + byte) / place.stripes.stripe %
                          place.stripes.members);
}

const std::vector<GroupPlace>& Places() {
  static const auto* const places = [] {
    auto* all = new std::vector<GroupPlace>();
    for (const int members : {1, 2, 3, 4, 7}) {
      for (const std::int64_t stripe : {64, 128, 1024}) {
        for (const std::int64_t offset :
             {0, 1, 15, 16, 63, 64, 65, 200, 5000}) {
          all->push_back({{stripe, members}, offset});
        }
      }
    }
    return all;
  }();
  return *places;
}

TEST(Share, EachUnitBelongsToTheMemberThatHasItsFirstByte) {
  constexpr std::int64_t kUnit = 16;
  for (const GroupPlace& place : Places()) {
    for (const std::int64_t units : {0, 1, 3, 4, 5, 64, 777}) {
      std::vector<int> taken(units, 0);
      for (int member = 0; member < place.stripes.members; ++member) {
        const Share share = ShareOf(place, kUnit, units, member);
        for (std::uint32_t i = 0; i < share.count; ++i) {
          const std::uint32_t unit = share(i);
          ASSERT_LT(unit, units);
          ++taken[unit];
          EXPECT_EQ(member, OwnerOf(place, unit * kUnit));
          EXPECT_EQ(member, static_cast<int>(share.MemberOf(unit)));
        }
      }
      EXPECT_THAT(taken, Each(1)) << units << " from " << place.offset;
    }
  }
}

// By the definition: whether units of the array lie in one stripe.
TEST(Share, RunsAreTheUnitsOfAStripe) {
  constexpr std::int64_t kUnit = 16;
  constexpr std::uint32_t kUnits = 777;
  for (const GroupPlace& place : Places()) {
    const auto stripe_of = [&](std::uint32_t unit) {
      return (place.offset / kUnit + unit) * kUnit / place.stripes.stripe;
    };
    const Share share = ShareOf(place, kUnit, kUnits, 0);
    EXPECT_EQ(share.RunOf(0), 0u);
    EXPECT_EQ(share.StartOf(0), 0u);
    for (std::uint32_t unit = 1; unit < kUnits; ++unit) {
      const bool begins = stripe_of(unit) != stripe_of(unit - 1);
      ASSERT_EQ(share.RunOf(unit), share.RunOf(unit - 1) + (begins ? 1 : 0))
          << unit << " from " << place.offset;
      if (begins) {
        EXPECT_EQ(share.StartOf(share.RunOf(unit)), unit);
      }
    }
  }
}

TEST(Share, UnitsOfAMemberRise) {
  const GroupPlace place{{256, 3}, 100};
  const Share share = ShareOf(place, 16, 1000, 1);
  ASSERT_GT(share.count, 300u);
  for (std::uint32_t i = 1; i < share.count; ++i) {
    EXPECT_LT(share(i - 1), share(i));
  }
}

// Each unit of the places' arrays belongs to whoever has its first byte, and a
// member's units rise.
template <std::int64_t kUnit>
void ExpectUnevenShares() {
  for (const GroupPlace& place : Places()) {
    for (const std::int64_t units : {0, 1, 3, 4, 5, 64, 777}) {
      std::vector<int> taken(units, 0);
      for (int member = 0; member < place.stripes.members; ++member) {
        const auto share = UnevenShareOf<kUnit>(place, units, member);
        std::int64_t before = -1;
        for (std::uint32_t i = 0; i < share.count; ++i) {
          const std::int64_t unit = share(i);
          ASSERT_LE(unit, units);
          if (unit == units) continue;
          ++taken[unit];
          EXPECT_LT(before, unit);
          EXPECT_EQ(member, OwnerOf(place, unit * kUnit));
          before = unit;
        }
      }
      EXPECT_THAT(taken, Each(1)) << units << " from " << place.offset;
    }
  }
}

TEST(UnevenShare, UnitsOfAnyLengthBelongToWhoHasTheirFirstByte) {
  ExpectUnevenShares<1>();
  ExpectUnevenShares<17>();
  ExpectUnevenShares<100>();
  ExpectUnevenShares<128>();
  ExpectUnevenShares<5000>();
}

TEST(Share, StretchesOfABlockedRangeFollowEachOther) {
  for (const int members : {1, 2, 3, 7}) {
    for (const std::int64_t offset : {0, 4, 4096, 70000}) {
      const GroupPlace place{{65536, members}, offset};
      for (const std::int64_t size : {0, 1, 1000, 16384, 16385, 60000}) {
        std::int64_t end = 0;
        for (int member = 0; member < members; ++member) {
          const Stretch stretch = StretchOf(place, 4, size, member);
          EXPECT_EQ(stretch.begin, end);
          end = stretch.end;
          if (stretch.empty() || place.offset + 4 * size > 65536 * members) {
            continue;
          }
          EXPECT_EQ(OwnerOf(place, 4 * stretch.begin), member);
          EXPECT_EQ(OwnerOf(place, 4 * stretch.end - 1), member);
        }
        EXPECT_EQ(end, size);
      }
    }
  }
}

// What run_length_encode relies on: what comes before a stretch is all in
// whole vectors.
TEST(Share, AStretchBeginsWhereAMembersMemoryDoes) {
  for (const std::int64_t element_bytes : {1, 4, 8}) {
    for (const std::int64_t elements_before : {0, 1, 3, 700, 8191, 20000}) {
      const GroupPlace place{{65536, 3}, elements_before * element_bytes};
      for (int member = 0; member < 3; ++member) {
        const Stretch stretch = StretchOf(place, element_bytes, 24000, member);
        if (stretch.empty() || stretch.begin == 0) continue;
        EXPECT_EQ((place.offset + stretch.begin * element_bytes) % 65536, 0)
            << element_bytes << " " << elements_before << " " << member;
      }
    }
  }
}

}  // namespace
}  // namespace concord
