// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/panel_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace concord::similar_pairs {
namespace {

using ::testing::ElementsAre;

// No part compares more pairs of panels than its share and half of a row.
TEST(CutPanels, PartsCompareEquallyMany) {
  for (std::int64_t panels = 0; panels < 200; ++panels) {
    const std::int64_t all = panels * (panels + 1) / 2;
    for (const int parts : {1, 2, 3, 4, 8}) {
      const std::vector<std::int64_t> cuts = CutPanels(panels, parts);
      ASSERT_EQ(cuts.size(), static_cast<std::size_t>(parts) + 1);
      EXPECT_EQ(cuts.front(), 0);
      EXPECT_EQ(cuts.back(), panels);
      EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
      for (int i = 0; i < parts; ++i) {
        std::int64_t pairs = 0;
        for (std::int64_t row = cuts[i]; row < cuts[i + 1]; ++row) {
          pairs += panels - row;
        }
        EXPECT_LE(pairs, all / parts + panels + 1)
            << panels << " panels, part " << i << " of " << parts;
      }
    }
  }
}

TEST(CutPanels, EachOfAFewPartsHasAPanel) {
  EXPECT_THAT(CutPanels(1, 2), ElementsAre(0, 1, 1));
  EXPECT_THAT(CutPanels(2, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(CutPanels(3, 3), ElementsAre(0, 1, 2, 3));
}

// 2^32 sketches.
TEST(CutPanels, DoesNotOverflow) {
  const std::vector<std::int64_t> cuts = CutPanels(std::int64_t{1} << 25, 8);
  EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
  // An eighth of the square is above the row 1 - sqrt(7 / 8).
  EXPECT_NEAR(static_cast<double>(cuts[1]) / (1 << 25), 0.0645857, 1e-6);
}

TEST(PairsOfRows, AreCountedOneByOne) {
  for (std::int64_t sketches = 0; sketches < 20; ++sketches) {
    for (std::int64_t first = 0; first <= sketches; ++first) {
      std::int64_t pairs = 0;
      for (std::int64_t end = first; end <= sketches; ++end) {
        EXPECT_EQ(PairsOfRows(sketches, first, end), pairs);
        pairs += sketches - 1 - end;
      }
    }
  }
  const std::int64_t most = std::int64_t{1} << 32;
  EXPECT_EQ(PairsOfRows(most, 0, most), most / 2 * (most - 1));
}

}  // namespace
}  // namespace concord::similar_pairs
