// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How sorted runs, one of each member, become stretches of one sorted array:
// where the runs are cut for a stretch, and what each tile of a merge takes.
// Equal keys come in the order of the runs. Plain arithmetic, for the host and
// for kernels.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_PLAN_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_PLAN_H_

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/gpus/group_spec.h"

namespace concord::radix_sort {

inline constexpr int kMostRuns = kMostMembers;

// What a sort looks at of a key: a number in the order that was asked for, with
// zeros for the bits that do not count.
template <typename Bits>
struct KeyRank {
  KeyMap<Bits> map;
  Bits counted;

  constexpr Bits operator()(Bits key) const {
    return static_cast<Bits>(map.Map(key) & counted);
  }
};

// Looks at the bits [first, end).
template <typename Bits>
constexpr KeyRank<Bits> KeyRankOf(KeyMap<Bits> map, int first, int end) {
  const auto below = [](int bit) {
    constexpr int kWidth = 8 * sizeof(Bits);
    return static_cast<Bits>(bit < kWidth ? (Bits{1} << bit) - 1 : ~Bits{0});
  };
  return {map, static_cast<Bits>(below(end) & ~below(first))};
}

// --- Where runs are cut ---

// The elements [low, high) of a sorted run, cut where numbers of `than` and
// above begin.
template <typename Bits>
constexpr std::int64_t SmallerKeys(const Bits* keys, std::int64_t low,
                                   std::int64_t high, const KeyRank<Bits>& rank,
                                   Bits than) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (rank(keys[middle]) < than) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The bits that a step of the search finds: a lane tries each of their values.
inline constexpr int kStepBits = 5;
inline constexpr int kStepValues = 1 << kStepBits;

// How many keys of each run are smaller than the border with each value of the
// next bits.
using StepCounts = std::int64_t[kMostRuns][kStepValues];

// The search for the cuts before which so many elements of all runs stand that
// a member's stretch begins there. It finds the number of the key behind the
// cut from its highest bits on: the largest than which no more keys are smaller
// than stand before the cut. Then it takes as many of the keys with this number
// as are missing, from the first run on.
template <typename Bits>
struct CutSearch {
  // The bits of the number from `bit` on, and zeros.
  Bits border;
  int bit;
  // Of each run: how many keys are smaller than `border`, and how many smaller
  // than every greater number of these bits.
  std::int64_t low[kMostRuns];
  std::int64_t high[kMostRuns];

  constexpr void Begin(const std::int64_t* sizes, int runs, int end_bit) {
    border = 0;
    bit = end_bit;
    for (int run = 0; run < runs; ++run) {
      low[run] = 0;
      high[run] = sizes[run];
    }
  }

  // How many bits the next step finds. `first_bit` is the lowest that counts.
  constexpr int StepWidth(int first_bit) const {
    return bit - first_bit < kStepBits ? bit - first_bit : kStepBits;
  }

  // The border with this value of the next bits.
  constexpr Bits With(int value, int first_bit) const {
    return static_cast<Bits>(border | static_cast<Bits>(value)
                                          << (bit - StepWidth(first_bit)));
  }

  constexpr std::int64_t CountOf(const Bits* keys, int run,
                                 const KeyRank<Bits>& rank, int value,
                                 int first_bit) const {
    return SmallerKeys(keys, low[run], high[run], rank, With(value, first_bit));
  }

  // One step, with the counts of all runs and values. `before` is how many
  // elements come before the cut.
  constexpr void Narrow(const StepCounts& counts, int runs, std::int64_t before,
                        int first_bit) {
    const int width = StepWidth(first_bit);
    const int values = 1 << width;
    // The largest value with no more than `before`; that of 0 is `low`.
    int least = 0;
    int most = values - 1;
    while (least < most) {
      const int value = (least + most + 1) / 2;
      std::int64_t smaller = 0;
      for (int run = 0; run < runs; ++run) smaller += counts[run][value];
      if (smaller <= before) {
        least = value;
      } else {
        most = value - 1;
      }
    }
    for (int run = 0; run < runs; ++run) {
      if (least + 1 < values) high[run] = counts[run][least + 1];
      low[run] = counts[run][least];
    }
    border = With(least, first_bit);
    bit -= width;
  }

  // The last step: `low` has the cuts.
  constexpr void TakeEqualKeys(int runs, std::int64_t before) {
    std::int64_t missing = before;
    for (int run = 0; run < runs; ++run) missing -= low[run];
    for (int run = 0; run < runs; ++run) {
      const std::int64_t equal = high[run] - low[run];
      const std::int64_t taken = missing < equal ? missing : equal;
      low[run] += taken;
      missing -= taken;
    }
  }
};

// --- How the parts of a stretch are merged ---

// The parts of all runs that make up one stretch of the output.
struct Parts {
  // Where the part begins in its run.
  std::int64_t first[kMostRuns];
  // Elements of the parts before it. All that there are, for runs that are not
  // there.
  std::int64_t before[kMostRuns + 1];

  constexpr std::int64_t size() const { return before[kMostRuns]; }
};

constexpr Parts PartsBetween(const std::int64_t* begin, const std::int64_t* end,
                             int runs) {
  Parts parts = {};
  for (int run = 0; run < kMostRuns; ++run) {
    const bool is_there = run < runs;
    parts.first[run] = is_there ? begin[run] : 0;
    parts.before[run + 1] =
        parts.before[run] + (is_there ? end[run] - begin[run] : 0);
  }
  return parts;
}

// Parts are merged in pairs, then what came of them, until one is left. The
// only one is merged with none.
constexpr int LevelsOf(int runs) {
  int levels = 1;
  while (1 << levels < runs) ++levels;
  return levels;
}

constexpr int PairsOf(int runs, int level) {
  return (runs + (1 << level) - 1) >> level;
}

// Two neighbours that are merged, of which the second may be empty: elements
// [begin, middle) and [middle, end) of what the level before has left.
struct MergePair {
  int run;  // the first that it is made of
  std::int64_t begin;
  std::int64_t middle;
  std::int64_t end;
};

constexpr MergePair PairOf(const Parts& parts, int level, int pair) {
  const int run = pair << level;
  return {run, parts.before[run], parts.before[run + (1 << (level - 1))],
          parts.before[run + (1 << level)]};
}

// A tile is what a block merges: so many elements of a pair, or its last ones.
struct MergeTile {
  MergePair pair;
  std::int64_t first;  // of the pair's elements
  std::int64_t count;  // none: there is no such tile
};

constexpr std::int64_t TilesOfPair(const MergePair& pair, std::int64_t size) {
  return (pair.end - pair.begin + size - 1) / size;
}

constexpr std::int64_t TilesOfLevel(const Parts& parts, int runs, int level,
                                    std::int64_t size) {
  std::int64_t tiles = 0;
  for (int pair = 0; pair < PairsOf(runs, level); ++pair) {
    tiles += TilesOfPair(PairOf(parts, level, pair), size);
  }
  return tiles;
}

// No level of any parts with so many elements has more.
constexpr std::int64_t MostTiles(std::int64_t elements, int runs,
                                 std::int64_t size) {
  return elements / size + PairsOf(runs, 1);
}

constexpr MergeTile TileOf(const Parts& parts, int runs, int level,
                           std::int64_t tile, std::int64_t size) {
  for (int number = 0; number < PairsOf(runs, level); ++number) {
    const MergePair pair = PairOf(parts, level, number);
    const std::int64_t tiles = TilesOfPair(pair, size);
    if (tile < tiles) {
      const std::int64_t first = tile * size;
      const std::int64_t rest = pair.end - pair.begin - first;
      return {pair, first, rest < size ? rest : size};
    }
    tile -= tiles;
  }
  return {};
}

// How many of the first `diagonal` elements of a merge are from `a` (O. Green,
// R. McColl, D. A. Bader, 2012).
template <typename Bits, typename Index>
constexpr Index MergePath(const Bits* a, Index a_size, const Bits* b,
                          Index b_size, Index diagonal,
                          const KeyRank<Bits>& rank) {
  Index low = diagonal > b_size ? diagonal - b_size : 0;
  Index high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (rank(a[middle]) <= rank(b[diagonal - 1 - middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Goes through the merge of keys [a, a_end) and [b, b_end) of a tile, from any
// place of it on.
struct MergeCursor {
  int a;
  int a_end;
  int b;
  int b_end;

  // Where the next one stands. There is one.
  template <typename Bits>
  constexpr int Next(const Bits* keys, const KeyRank<Bits>& rank) {
    const bool is_a =
        b >= b_end || (a < a_end && rank(keys[a]) <= rank(keys[b]));
    return is_a ? a++ : b++;
  }
};

// The cursor of a thread whose first element is the tile's element `diagonal`.
// `a_count` elements of `a`, then those of `b`, are `count` in all.
template <typename Bits>
constexpr MergeCursor CursorAt(const Bits* keys, int a_count, int count,
                               int diagonal, const KeyRank<Bits>& rank) {
  const int a =
      MergePath(keys, a_count, keys + a_count, count - a_count, diagonal, rank);
  return {a, a_count, a_count + diagonal - a, count};
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_PLAN_H_
