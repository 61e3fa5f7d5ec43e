// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/mpi/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace concord::similar_pairs {
namespace {

// Stretches of uneven lengths, the third empty, the last of one row.
Ranges Stretches(int ranks) {
  Ranges rows;
  std::int64_t first = 0;
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t size = r == 2                    ? 0
                              : r > 2 && r == ranks - 1 ? 1
                                                        : 5 + 3 * (r % 4);
    rows.push_back({first, first + size});
    first += size;
  }
  return rows;
}

using Counts = std::map<std::pair<std::int64_t, std::int64_t>, int>;

// How often each pair of rows is compared in so many steps, in pieces of so
// many rows.
Counts CountPairs(const Ring& ring, int steps, std::int64_t piece_rows) {
  Counts counts;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < ring.size(); ++rank) {
      const Range held = ring.Held(rank, step);
      const std::int64_t pieces = ring.Pieces(step, piece_rows);
      for (std::int64_t p = 0; p < pieces; ++p) {
        const Range passing = ring.Passing(rank, step, p, pieces);
        EXPECT_LE(passing.size(), piece_rows);
        for (std::int64_t a = held.first; a < held.last; ++a) {
          for (std::int64_t b = passing.first; b < passing.last; ++b) {
            // In step 0 a rank meets itself.
            if (step == 0 ? a < b : a != b) ++counts[std::minmax(a, b)];
          }
        }
      }
    }
  }
  return counts;
}

// Each pair of so many rows, once.
bool IsComplete(const Counts& counts, std::int64_t rows) {
  return static_cast<std::int64_t>(counts.size()) == rows * (rows - 1) / 2 &&
         std::all_of(counts.begin(), counts.end(),
                     [](const auto& pair) { return pair.second == 1; });
}

TEST(Ring, EachPairIsComparedOnce) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const Ring ring(Stretches(ranks));
    const std::int64_t rows = Stretches(ranks).back().last;
    for (const std::int64_t piece_rows : {1, 4, 1000}) {
      EXPECT_TRUE(IsComplete(CountPairs(ring, ring.steps(), piece_rows), rows))
          << ranks << " ranks, pieces of " << piece_rows;
    }
    // A stretch that goes round once too few, or too many.
    EXPECT_FALSE(IsComplete(CountPairs(ring, ring.steps() - 1, 4), rows));
    if (ranks > 2) {
      EXPECT_FALSE(IsComplete(CountPairs(ring, ring.steps() + 1, 4), rows));
    }
  }
}

// Ranks go from piece to piece together.
TEST(Ring, RanksHaveAsMuchToDoForEachPiece) {
  constexpr std::int64_t kRows = 1000;
  for (int ranks = 2; ranks <= 8; ++ranks) {
    Ranges rows;
    for (int r = 0; r < ranks; ++r)
      rows.push_back({r * kRows, (r + 1) * kRows});
    const Ring ring(rows);
    for (int step = 1; step < ring.steps(); ++step) {
      const std::int64_t pieces = ring.Pieces(step, 100);
      for (std::int64_t p = 0; p < pieces; ++p) {
        for (int rank = 0; rank < ranks; ++rank) {
          EXPECT_EQ(ring.Held(rank, step).size() *
                        ring.Passing(rank, step, p, pieces).size(),
                    ring.Held(0, step).size() *
                        ring.Passing(0, step, p, pieces).size());
        }
      }
    }
  }
}

TEST(Ring, WhatARankReadsItsReaderSends) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const Ring ring(Stretches(ranks));
    for (int step = 0; step < ring.steps(); ++step) {
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(ring.ReaderOf(ring.OtherOf(rank, step), step), rank);
      }
    }
  }
}

}  // namespace
}  // namespace concord::similar_pairs
