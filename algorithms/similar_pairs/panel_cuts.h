// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_PANEL_CUTS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_PANEL_CUTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace concord::similar_pairs {

// Shares row panels out, of which panel r is compared with the panels r, r + 1,
// ... of all, so that parts compare about as many pairs of panels each. Part i
// has the row panels [cuts[i], cuts[i + 1]): none, where there are fewer than
// parts.
inline std::vector<std::int64_t> CutPanels(std::int64_t panels, int parts) {
  // Pairs of the row panels before `row`.
  const auto pairs_before = [panels](std::int64_t row) {
    return row * panels - row * (row - 1) / 2;
  };
  const std::int64_t all = pairs_before(panels);
  std::vector<std::int64_t> cuts = {0};
  for (std::int64_t i = 1; i < parts; ++i) {
    const std::int64_t goal =
        all / parts * i + (all % parts * i + parts - 1) / parts;
    std::int64_t low = 0;  // the first row with `goal` pairs before it or more
    std::int64_t high = panels;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (pairs_before(middle) < goal) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool is_far =
        low > 0 && goal - pairs_before(low - 1) < pairs_before(low) - goal;
    cuts.push_back(is_far ? low - 1 : low);
  }
  cuts.push_back(panels);
  return cuts;
}

// Pairs of sketches of which the first is one of [first, end), and the second
// any behind it.
inline std::int64_t PairsOfRows(std::int64_t sketches, std::int64_t first,
                                std::int64_t end) {
  const auto rows = static_cast<unsigned __int128>(end - first);
  return static_cast<std::int64_t>(
      rows * static_cast<std::uint64_t>(2 * sketches - 1 - first - end) / 2);
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_PANEL_CUTS_H_
