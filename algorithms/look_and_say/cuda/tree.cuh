// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of atoms as a warp goes down it: from the atoms at its top, of which
// the host makes a list, to those whose digits stand in a table of blocks.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_TREE_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_TREE_CUH_

#include <cstdint>

#include "concord/backends/cuda/warp.cuh"

namespace concord::look_and_say {

// What an atom becomes a level further down: so many atoms, from the first on,
// of those that all atoms become.
struct Products {
  int32_t first;
  int32_t count;
};

// Atoms side by side in the term. The digits of the first one start at `first`,
// and those of atom i end at first + ends[i]. Positions are those in the wanted
// part of the term, before which the first may start.
struct Siblings {
  const int64_t* ends;
  const Products* products;
  // Where in the table the block of each atom starts.
  const int32_t* blocks;
  int32_t count;
  int64_t first;
};

// All arrays are on the device.
struct AtomTree {
  // Hold everything that is wanted.
  Siblings tops;

  // Those on the levels between the tops and the blocks: what all atoms become,
  // one after the other. Only the ends depend on the level, and are those in
  // the digits of the atom that it comes from. Levels are counted from the
  // blocks on.
  int32_t levels;
  int32_t product_count;
  const int64_t* product_ends;
  const Products* products;
  const int32_t* product_blocks;

  // The table: the digits of all blocks, in whole vectors.
  const uint8_t* table;
  int32_t table_size;
};

// Tops that are few enough to travel with the launch.
struct ListedTops {
  static constexpr int kMost = 96;

  int64_t ends[kMost];
  Products products[kMost];
  int32_t blocks[kMost];
  // 0 where they are more, and in the device's memory.
  int32_t count;
};

// One of the siblings, and where it starts in their digits.
struct Sibling {
  int32_t number;
  int64_t start;
  Products products;
};

// The one with the digit at `position`, which one of them has. A whole warp
// calls it. What it is after, it loads together with what it looks at.
__device__ __forceinline__ Sibling FindSibling(const Siblings& siblings,
                                               int64_t position) {
  position -= siblings.first;
  Sibling found = {0, 0, {}};
  int32_t count = siblings.count;
  do {
    // Each lane looks at the end of one of 32 stretches.
    const int32_t stretch = (count + kWarpSize - 1) / kWarpSize;
    const int32_t last =
        found.number + min((LaneId() + 1) * stretch, count) - 1;
    const int64_t end = siblings.ends[last];
    const Products products = siblings.products[last];
    const int lane = __ffs(__ballot_sync(kWholeWarp, end > position)) - 1;
    if (lane > 0) found.start = ShuffleFrom(end, lane - 1);
    found.products = {ShuffleFrom(products.first, lane),
                      ShuffleFrom(products.count, lane)};
    found.number += lane * stretch;
    count = min(stretch, count - lane * stretch);
  } while (count > 1);
  return found;
}

// Those with blocks of their own among which is the one that has the digit at
// `position`. A whole warp calls it.
__device__ inline Siblings FindSiblings(const AtomTree& tree,
                                        int64_t position) {
  Siblings siblings = tree.tops;
  for (int32_t level = tree.levels; level-- > 0;) {
    const Sibling found = FindSibling(siblings, position);
    const int32_t first = found.products.first;
    siblings = {tree.product_ends + int64_t{level} * tree.product_count + first,
                tree.products + first, tree.product_blocks + first,
                found.products.count, siblings.first + found.start};
  }
  return siblings;
}

// Digits from `start` on, a place in the wanted part that is given relative to
// some place near by: those at table[source + start] and so on.
struct ListedBlock {
  int32_t start;
  int32_t source;
};

// The blocks of a part of the term from left to right, as many as a warp has
// lanes, and the start of one more that is never reached.
struct BlockList {
  static constexpr int kMost = kWarpSize;

  ListedBlock blocks[kMost + 1];
};

// Lists the blocks with the digits [position, end), or the first of them if
// they are too many, relative to `origin`. Returns where the last one listed
// ends. A whole warp calls it, and synchronises before it reads the list.
__device__ inline int64_t ListBlocks(const AtomTree& tree, int64_t position,
                                     int64_t end, int64_t origin,
                                     BlockList& list) {
  int32_t size = 0;
  while (position < end && size < BlockList::kMost) {
    const Siblings siblings = FindSiblings(tree, position);
    // Of few siblings all are looked at, which spares a search among them.
    const int32_t first =
        siblings.count > kWarpSize ? FindSibling(siblings, position).number : 0;
    const int32_t i = first + LaneId();
    int64_t here = end;
    int64_t next = end;
    int32_t block = 0;
    if (i < siblings.count) {
      here = siblings.first + (i > 0 ? siblings.ends[i - 1] : 0);
      next = siblings.first + siblings.ends[i];
      block = siblings.blocks[i];
    }
    const uint32_t wanted =
        __ballot_sync(kWholeWarp, next > position && here < end);
    const int32_t first_lane = __ffs(wanted) - 1;
    const int32_t count = min(__popc(wanted), BlockList::kMost - size);
    const int32_t k = LaneId() - first_lane;
    if (k >= 0 && k < count) {
      const auto start = static_cast<int32_t>(here - origin);
      list.blocks[size + k] = {start, block - start};
    }
    position = ShuffleFrom(next, first_lane + count - 1);
    size += count;
  }
  if (LaneId() == 0) list.blocks[size].start = INT32_MAX;
  return position;
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_TREE_CUH_
