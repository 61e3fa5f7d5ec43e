// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where the lists of blocks that atoms become are in memory, and what it takes
// to make them (make_lists.cuh).

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LIST_LAYOUT_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LIST_LAYOUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "concord/algorithms/look_and_say/cuda/lists.cuh"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"

namespace concord::look_and_say {

// How many blocks each atom becomes, by steps and atom.
using BlockCounts = std::vector<std::vector<std::int64_t>>;

inline BlockCounts CountBlocks(const AtomTable& table, std::int64_t steps) {
  BlockCounts counts = {
      std::vector<std::int64_t>(static_cast<std::size_t>(table.size()), 1)};
  while (static_cast<std::int64_t>(counts.size()) <= steps) {
    std::vector<std::int64_t> row;
    for (int atom = 0; atom < table.size(); ++atom) {
      std::int64_t count = 0;
      for (const int product : table.DecayOf(atom)) {
        count = AtomTable::SaturatedSum(count, counts.back()[product]);
      }
      row.push_back(count);
    }
    counts.push_back(std::move(row));
  }
  return counts;
}

// The atoms that come up on the way, by the steps that are left to the blocks,
// if these come up with `steps` left.
inline std::vector<std::vector<bool>> AtomsOnTheWay(
    const AtomTable& table, const std::vector<int>& atoms, std::int64_t steps) {
  std::vector<std::vector<bool>> there(
      static_cast<std::size_t>(steps) + 1,
      std::vector<bool>(static_cast<std::size_t>(table.size())));
  for (const int atom : atoms) there.back()[atom] = true;
  for (std::int64_t step = steps; step-- > 0;) {
    for (int atom = 0; atom < table.size(); ++atom) {
      if (!there[step + 1][atom]) continue;
      for (const int product : table.DecayOf(atom)) there[step][product] = true;
    }
  }
  return there;
}

struct ListLayout {
  // What atoms become in one step: atom a is products[first_products[a]] to
  // products[first_products[a + 1]].
  std::vector<std::int32_t> first_products = {0};
  std::vector<std::int32_t> products;
  // By steps, and within them by atom, where lists start, each with one block
  // more as its end; the end of the last one; and how many digits they have.
  std::vector<std::int32_t> first_blocks;
  std::vector<std::int32_t> digits;
  // The lists of no steps.
  std::vector<ListedBlock> single;
  // By atom, where its index starts.
  std::vector<std::int32_t> first_indices;
  std::int64_t indices = 0;
  // By atom; negative where it has no list.
  std::vector<AtomList> lists;
  // The most blocks that the lists of an even, and of an odd number of steps
  // have.
  std::int64_t most_blocks[2] = {0, 0};

  // For lists of so many steps, counted from `blocks` on, of these atoms.
  ListLayout(const AtomTable& table, const AtomBlocks& blocks,
             const std::vector<int>& atoms, std::int64_t steps,
             const BlockCounts& counts) {
    const int size = table.size();
    for (int atom = 0; atom < size; ++atom) {
      for (const int product : table.DecayOf(atom)) products.push_back(product);
      first_products.push_back(static_cast<std::int32_t>(products.size()));
    }
    const std::vector<std::vector<bool>> there =
        AtomsOnTheWay(table, atoms, steps);
    for (std::int64_t step = 0; step <= steps; ++step) {
      std::int64_t first = 0;
      for (int atom = 0; atom < size; ++atom) {
        first_blocks.push_back(static_cast<std::int32_t>(first));
        digits.push_back(0);
        if (!there[step][atom]) continue;
        digits.back() = static_cast<std::int32_t>(
            table.LengthOf(atom, blocks.steps() + step));
        first += counts[step][atom] + 1;
      }
      first_blocks.push_back(static_cast<std::int32_t>(first));
      most_blocks[step % 2] = std::max(most_blocks[step % 2], first);
    }
    for (int atom = 0; atom < size; ++atom) {
      if (!there[0][atom]) continue;
      single.push_back({0, static_cast<std::int32_t>(blocks.starts()[atom])});
      single.push_back({digits[atom], 0});
    }
    for (int atom = 0; atom < size; ++atom) {
      const auto index = static_cast<std::int32_t>(indices);
      first_indices.push_back(index);
      lists.push_back({-1, -1});
      if (!there.back()[atom]) continue;
      lists.back() = {first_blocks[steps * (size + 1) + atom], index};
      indices +=
          (digits[steps * size + atom] + kIndexDigits - 1) / kIndexDigits;
    }
  }
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LIST_LAYOUT_H_
