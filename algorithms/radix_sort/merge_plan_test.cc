// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a group's members plan before they merge, and the merge by that plan,
// step by step as the kernels go, against a stable sort of the whole.

#include "concord/algorithms/radix_sort/gpus/merge_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "concord/core/element_type.h"

namespace concord::radix_sort {
namespace {

template <typename Bits>
struct Item {
  Bits key;
  std::int64_t value;

  bool operator==(const Item& other) const {
    return key == other.key && value == other.value;
  }
};

template <typename Bits>
using Items = std::vector<Item<Bits>>;

// Keys and positions apart, as kernels have them.
template <typename Bits>
struct SortedRun {
  std::vector<Bits> keys;
  std::vector<std::int64_t> values;

  std::int64_t size() const { return static_cast<std::int64_t>(keys.size()); }
};

// What is sorted, and how.
template <typename Bits>
struct Case {
  std::vector<Bits> keys;
  // Where the runs begin, and the size; the same of the output.
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
  ElementType type;
  bool descending;
  int first_bit;
  int end_bit;
  // Elements of a tile, and of a thread in it.
  std::int64_t tile;
  int items;

  int runs() const { return static_cast<int>(in.size()) - 1; }
  KeyRank<Bits> rank() const {
    return KeyRankOf<Bits>(KeyMapOf<Bits>(type, descending), first_bit,
                           end_bit);
  }
};

// Without KeyRank's arithmetic: bit by bit.
template <typename Bits>
bool Precedes(const Case<Bits>& c, Bits a, Bits b) {
  const KeyMap<Bits> map = KeyMapOf<Bits>(c.type, c.descending);
  for (int bit = c.end_bit - 1; bit >= c.first_bit; --bit) {
    const int of_a = map.Map(a) >> bit & 1;
    const int of_b = map.Map(b) >> bit & 1;
    if (of_a != of_b) return of_a < of_b;
  }
  return false;
}

template <typename Bits>
SortedRun<Bits> StablySorted(const Case<Bits>& c, std::int64_t begin,
                             std::int64_t end) {
  Items<Bits> items;
  for (std::int64_t i = begin; i < end; ++i) items.push_back({c.keys[i], i});
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item<Bits>& a, const Item<Bits>& b) {
                     return Precedes(c, a.key, b.key);
                   });
  SortedRun<Bits> run;
  for (const Item<Bits>& item : items) {
    run.keys.push_back(item.key);
    run.values.push_back(item.value);
  }
  return run;
}

// FindParts.
template <typename Bits>
std::vector<std::int64_t> CutsAt(const Case<Bits>& c,
                                 const std::vector<SortedRun<Bits>>& runs,
                                 std::int64_t before) {
  std::int64_t sizes[kMostRuns] = {};
  for (int run = 0; run < c.runs(); ++run) sizes[run] = runs[run].size();
  CutSearch<Bits> search;
  search.Begin(sizes, c.runs(), c.end_bit);
  while (search.bit > c.first_bit) {
    StepCounts counts = {};
    for (int run = 0; run < c.runs(); ++run) {
      for (int value = 0; value < 1 << search.StepWidth(c.first_bit); ++value) {
        counts[run][value] = search.CountOf(runs[run].keys.data(), run,
                                            c.rank(), value, c.first_bit);
      }
    }
    search.Narrow(counts, c.runs(), before, c.first_bit);
  }
  search.TakeEqualKeys(c.runs(), before);
  return {search.low, search.low + c.runs()};
}

// The two sides of a pair at a level, as MergeSides has them.
template <typename Bits>
struct Side {
  const SortedRun<Bits>* from;
  std::int64_t first;
};

template <typename Bits>
Side<Bits> SideOf(const std::vector<SortedRun<Bits>>& from, const Parts& parts,
                  int level, int run, std::int64_t place) {
  if (level > 1) return {&from[0], place};
  return {&from[run], parts.first[run]};
}

// MergeTiles: one tile, of which the first side's elements [a_first, a_end).
template <typename Bits>
void MergeOneTile(const Case<Bits>& c, const MergeTile& tile,
                  const Side<Bits>& a, const Side<Bits>& b,
                  std::int64_t a_first, std::int64_t a_end,
                  SortedRun<Bits>& to) {
  const int count = static_cast<int>(tile.count);
  const int a_count = static_cast<int>(a_end - a_first);
  ASSERT_GE(a_count, 0);
  ASSERT_LE(a_count, count);
  SortedRun<Bits> local;
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = i < a_count
                                ? a.first + a_first + i
                                : b.first + tile.first - a_first + i - a_count;
    const SortedRun<Bits>& from = i < a_count ? *a.from : *b.from;
    local.keys.push_back(from.keys.at(at));
    local.values.push_back(from.values.at(at));
  }
  for (int first = 0; first < count; first += c.items) {
    MergeCursor cursor =
        CursorAt(local.keys.data(), a_count, count, first, c.rank());
    for (int i = first; i < std::min(first + c.items, count); ++i) {
      const int place = cursor.Next(local.keys.data(), c.rank());
      const std::int64_t at = tile.pair.begin + tile.first + i;
      to.keys.at(at) = local.keys.at(place);
      to.values.at(at) = local.values.at(place);
    }
  }
}

template <typename Bits>
SortedRun<Bits> MergeLevel(const Case<Bits>& c,
                           const std::vector<SortedRun<Bits>>& from,
                           const Parts& parts, int level) {
  SortedRun<Bits> to;
  to.keys.resize(parts.size());
  to.values.resize(parts.size(), -1);
  const std::int64_t tiles = TilesOfLevel(parts, c.runs(), level, c.tile);
  EXPECT_LE(tiles, MostTiles(parts.size(), c.runs(), c.tile));
  EXPECT_EQ(TileOf(parts, c.runs(), level, tiles, c.tile).count, 0);
  const auto cut_of = [&](const MergeTile& tile, const Side<Bits>& a,
                          const Side<Bits>& b) {
    return MergePath(a.from->keys.data() + a.first,
                     tile.pair.middle - tile.pair.begin,
                     b.from->keys.data() + b.first,
                     tile.pair.end - tile.pair.middle, tile.first, c.rank());
  };
  for (std::int64_t number = 0; number < tiles; ++number) {
    const MergeTile tile = TileOf(parts, c.runs(), level, number, c.tile);
    const MergePair& pair = tile.pair;
    const int second = pair.run + (1 << (level - 1));
    const Side<Bits> a = SideOf(from, parts, level, pair.run, pair.begin);
    const Side<Bits> b = pair.end == pair.middle
                             ? a
                             : SideOf(from, parts, level, second, pair.middle);
    const bool is_last = tile.first + tile.count == pair.end - pair.begin;
    const std::int64_t a_end =
        is_last
            ? pair.middle - pair.begin
            : cut_of(TileOf(parts, c.runs(), level, number + 1, c.tile), a, b);
    MergeOneTile(c, tile, a, b, cut_of(tile, a, b), a_end, to);
  }
  return to;
}

template <typename Bits>
void ExpectSorted(const Case<Bits>& c) {
  const auto size = static_cast<std::int64_t>(c.keys.size());
  const SortedRun<Bits> expected = StablySorted(c, 0, size);
  std::vector<SortedRun<Bits>> runs;
  for (int run = 0; run < c.runs(); ++run) {
    runs.push_back(StablySorted(c, c.in[run], c.in[run + 1]));
  }
  for (std::size_t member = 0; member + 1 < c.out.size(); ++member) {
    const std::int64_t begin = c.out[member];
    const std::int64_t end = c.out[member + 1];
    const Parts parts = PartsBetween(CutsAt(c, runs, begin).data(),
                                     CutsAt(c, runs, end).data(), c.runs());
    ASSERT_EQ(parts.size(), end - begin);
    std::vector<SortedRun<Bits>> from = runs;
    for (int level = 1; level <= LevelsOf(c.runs()); ++level) {
      from = {MergeLevel(c, from, parts, level)};
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      ASSERT_EQ(from[0].keys[i - begin], expected.keys[i]) << "key " << i;
      ASSERT_EQ(from[0].values[i - begin], expected.values[i]) << "value " << i;
    }
  }
}

// --- Cases ---

using Generator = std::mt19937_64;

std::int64_t Below(Generator& generator, std::int64_t end) {
  return std::uniform_int_distribution<std::int64_t>(0, end - 1)(generator);
}

// Edges of `count` stretches, of which some are empty.
std::vector<std::int64_t> Edges(Generator& generator, int count,
                                std::int64_t size) {
  std::vector<std::int64_t> edges = {0, size};
  for (int i = 1; i < count; ++i) {
    edges.push_back(
        Below(generator, 3) == 0
            ? edges[Below(generator, static_cast<int>(edges.size()))]
            : Below(generator, size + 1));
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

// One of: any bits, few values, one value, few that differ, ascending bits.
template <typename Bits>
std::vector<Bits> Keys(Generator& generator, std::int64_t size) {
  const std::int64_t kind = Below(generator, 5);
  const auto one = static_cast<Bits>(generator());
  std::vector<Bits> keys;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto any = static_cast<Bits>(generator());
    switch (kind) {
      case 0:
        keys.push_back(any);
        break;
      case 1:
        keys.push_back(static_cast<Bits>(one ^ (any & 3)));
        break;
      case 2:
        keys.push_back(one);
        break;
      case 3:
        keys.push_back(Below(generator, 20) == 0 ? any : one);
        break;
      default:
        keys.push_back(static_cast<Bits>(i));
    }
  }
  return keys;
}

template <typename Bits>
Case<Bits> Draw(Generator& generator, const std::vector<ElementType>& types) {
  constexpr int kWidth = 8 * sizeof(Bits);
  const std::int64_t size =
      1 + Below(generator, Below(generator, 2) ? 400 : 12);
  Case<Bits> c;
  c.keys = Keys<Bits>(generator, size);
  c.in =
      Edges(generator, static_cast<int>(1 + Below(generator, kMostRuns)), size);
  c.out =
      Edges(generator, static_cast<int>(1 + Below(generator, kMostRuns)), size);
  c.type = types[Below(generator, static_cast<int>(types.size()))];
  c.descending = Below(generator, 2) == 1;
  c.first_bit = 0;
  c.end_bit = kWidth;
  if (Below(generator, 2) == 1) {
    c.first_bit = static_cast<int>(Below(generator, kWidth + 1));
    c.end_bit = static_cast<int>(c.first_bit +
                                 Below(generator, kWidth + 1 - c.first_bit));
  }
  c.items = static_cast<int>(1 + Below(generator, 5));
  c.tile = c.items * (1 + Below(generator, 9));
  return c;
}

template <typename Bits>
void ExpectAllSorted(std::uint64_t seed,
                     const std::vector<ElementType>& types) {
  Generator generator(seed);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ExpectSorted(Draw<Bits>(generator, types));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(MergePlan, MergesAsAStableSortBytes) {
  ExpectAllSorted<std::uint8_t>(1, {ElementType::kInt8, ElementType::kUInt8});
}

TEST(MergePlan, MergesAsAStableSort4Bytes) {
  ExpectAllSorted<std::uint32_t>(
      2, {ElementType::kInt32, ElementType::kUInt32, ElementType::kFloat32});
}

TEST(MergePlan, MergesAsAStableSort8Bytes) {
  ExpectAllSorted<std::uint64_t>(
      3, {ElementType::kInt64, ElementType::kUInt64, ElementType::kFloat64});
}

// All of them equal: cut where positions say.
TEST(MergePlan, EqualKeysAreCutInTheOrderOfTheRuns) {
  const std::vector<std::uint32_t> keys(30, 7);
  Case<std::uint32_t> c = {
      keys, {0, 10, 10, 30}, {0, 30}, ElementType::kUInt32, false, 0, 32, 8, 2};
  std::vector<SortedRun<std::uint32_t>> runs;
  for (int run = 0; run < c.runs(); ++run) {
    runs.push_back(StablySorted(c, c.in[run], c.in[run + 1]));
  }
  EXPECT_EQ(CutsAt(c, runs, 0), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(CutsAt(c, runs, 9), (std::vector<std::int64_t>{9, 0, 0}));
  EXPECT_EQ(CutsAt(c, runs, 11), (std::vector<std::int64_t>{10, 0, 1}));
  EXPECT_EQ(CutsAt(c, runs, 30), (std::vector<std::int64_t>{10, 0, 20}));
}

// Sorted input: nothing crosses.
TEST(MergePlan, SortedRunsAreCutAtTheirBorders) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 100; ++i) keys.push_back(i << 40);
  const Case<std::uint64_t> c = {
      keys, {0, 40, 100}, {0, 40, 100}, ElementType::kUInt64, false, 0, 64, 8,
      2};
  const std::vector<SortedRun<std::uint64_t>> runs = {StablySorted(c, 0, 40),
                                                      StablySorted(c, 40, 100)};
  EXPECT_EQ(CutsAt(c, runs, 40), (std::vector<std::int64_t>{40, 0}));
}

}  // namespace
}  // namespace concord::radix_sort
