// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/pairwise.h"

#include <gtest/gtest.h>

namespace concord {
namespace {

bool Anything(const std::vector<int>&) { return true; }

bool Meet(const std::vector<std::vector<int>>& rows, std::size_t f, int a,
          std::size_t g, int b) {
  for (const std::vector<int>& row : rows) {
    if (row[f] == a && row[g] == b) return true;
  }
  return false;
}

TEST(CoverPairs, EveryPairMeetsInFewRows) {
  const std::vector<int> counts = {12, 8, 10, 7, 4, 1};
  Random random(5);
  const auto rows = CoverPairs(counts, Anything, random);
  for (std::size_t f = 0; f < counts.size(); ++f) {
    for (std::size_t g = f + 1; g < counts.size(); ++g) {
      for (int a = 0; a < counts[f]; ++a) {
        for (int b = 0; b < counts[g]; ++b) {
          EXPECT_TRUE(Meet(rows, f, a, g, b));
        }
      }
    }
  }
  EXPECT_GE(rows.size(), 12u * 10);
  EXPECT_LE(rows.size(), 12u * 10 * 2);
}

TEST(CoverPairs, ImpossiblePairsAreLeftOut) {
  // Choice 1 of the first factor goes with choice 0 of the second alone.
  const auto possible = [](const std::vector<int>& row) {
    return row[0] != 1 || row[1] == 0 || row[1] == kUnset;
  };
  Random random(5);
  const auto rows = CoverPairs({2, 3, 2}, possible, random);
  for (const std::vector<int>& row : rows) EXPECT_TRUE(possible(row));
  EXPECT_TRUE(Meet(rows, 0, 1, 1, 0));
  EXPECT_TRUE(Meet(rows, 0, 1, 2, 0));
  EXPECT_TRUE(Meet(rows, 0, 1, 2, 1));
  EXPECT_TRUE(Meet(rows, 1, 2, 2, 1));
}

TEST(CoverPairs, TheSameSeedGivesTheSameRows) {
  Random first(7);
  Random second(7);
  Random third(8);
  const std::vector<int> counts = {5, 6, 7};
  const auto rows = CoverPairs(counts, Anything, first);
  EXPECT_EQ(rows, CoverPairs(counts, Anything, second));
  EXPECT_NE(rows, CoverPairs(counts, Anything, third));
}

}  // namespace
}  // namespace concord
