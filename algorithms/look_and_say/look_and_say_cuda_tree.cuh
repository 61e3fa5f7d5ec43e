// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of atoms as a warp goes down it: from the atoms at its top, of which
// the host makes a list, to those whose digits stand in a table of blocks.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_CUDA_TREE_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_CUDA_TREE_CUH_

#include <cstdint>

#include "backends/cuda/warp.cuh"

namespace concord {

// All arrays are on the device.
struct AtomTree {
  // Where, in the part of the term that is wanted, the digits of each atom at
  // the top end. Those of the first may start before it, at -skipped.
  const int64_t* top_ends;
  const int32_t* top_atoms;
  int32_t tops;
  int64_t skipped;

  // What atom a is after a step is products[first_product[a]] and so on, up to
  // first_product[a + 1].
  const int32_t* first_product;
  const int32_t* products;
  int32_t product_count;
  // Steps between the top and the blocks. For each of them, counted from the
  // blocks on, and each product: where its digits end in those of the atom that
  // it comes from.
  int32_t levels;
  const int64_t* product_ends;

  // By atom: where its block is, and how long.
  const int64_t* block_starts;
  const int64_t* block_sizes;
  const uint8_t* blocks;
};

// A block, and where in the wanted part it starts.
struct BlockPlace {
  const uint8_t* digits;
  int64_t first;
  int64_t size;
};

// The first of ends[0, count), which rise, that is greater than `position`; the
// last one is. A whole warp calls it.
__device__ __forceinline__ int32_t FirstPast(const int64_t* ends, int32_t count,
                                             int64_t position) {
  int32_t first = 0;
  while (count > 1) {
    // Each lane looks at the end of one of 32 stretches.
    const int32_t stretch = (count + kWarpSize - 1) / kWarpSize;
    const int32_t last = min((LaneId() + 1) * stretch, count) - 1;
    const unsigned past =
        __ballot_sync(kWholeWarp, ends[first + last] > position);
    const int32_t before = (__ffs(past) - 1) * stretch;
    first += before;
    count = min(stretch, count - before);
  }
  return first;
}

// The block that has the digit at `position` of the wanted part. A whole warp
// calls it.
__device__ inline BlockPlace FindBlock(const AtomTree& tree, int64_t position) {
  const int32_t top = FirstPast(tree.top_ends, tree.tops, position);
  int32_t atom = tree.top_atoms[top];
  int64_t first = top == 0 ? -tree.skipped : tree.top_ends[top - 1];
  for (int32_t level = tree.levels; level-- > 0;) {
    const int64_t* const ends =
        tree.product_ends + int64_t{level} * tree.product_count;
    const int32_t begin = tree.first_product[atom];
    const int32_t count = tree.first_product[atom + 1] - begin;
    const int32_t product =
        begin + FirstPast(ends + begin, count, position - first);
    if (product > begin) first += ends[product - 1];
    atom = tree.products[product];
  }
  return {tree.blocks + tree.block_starts[atom], first, tree.block_sizes[atom]};
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_CUDA_TREE_CUH_
