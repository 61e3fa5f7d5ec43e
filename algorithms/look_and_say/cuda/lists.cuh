// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A term as lists of blocks: the host lists the atoms at its top, and for each
// of these the device has a list of the blocks that it becomes.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LISTS_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LISTS_CUH_

#include <cstdint>

#include "concord/backends/cuda/cache_policy.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::look_and_say {

// A block, and where its digits start among those of a list, and in the table
// of blocks.
struct alignas(8) ListedBlock {
  int32_t start;
  int32_t source;
};

// Where the list of an atom is among those of all: its first block, and the
// first entry of its index, which says for every kIndexDigits digits which
// block they start in. Behind the last block is one that starts where the atom
// ends.
struct AtomList {
  int32_t first_block;
  int32_t first_index;
};
inline constexpr int32_t kIndexDigits = 4096;

// Atoms side by side that hold everything that is wanted. The digits of the
// first one start at `first`, and those of atom i end at first + ends[i].
// Positions are those in the wanted part of the term, before which the first
// may start.
struct Tops {
  const int64_t* ends;
  const AtomList* lists;
  int32_t count;
  int64_t first;
};

// All arrays are on the device.
struct AtomLists {
  Tops tops;
  // Of all lists. Behind the last one are as many more as a warp has lanes.
  const ListedBlock* blocks;
  // The places of blocks are those in the list of their atom.
  const int32_t* index;

  // The table: the digits of all blocks, in whole vectors.
  const uint8_t* table;
  int32_t table_size;
};

// Tops that are few enough to travel with the launch.
struct ListedTops {
  static constexpr int kMost = 200;

  int64_t ends[kMost];
  AtomList lists[kMost];
  // 0 where they are more, and in the device's memory.
  int32_t count;
};

// One of the blocks of one of the tops.
struct ListPlace {
  int32_t top;
  int32_t block;
};

__device__ __forceinline__ int64_t StartOf(const Tops& tops, int32_t top) {
  return tops.first + (top > 0 ? tops.ends[top - 1] : 0);
}

// A block that has the digit at `position`, or is less than kIndexDigits before
// it. Each thread looks for one of its own.
__device__ __forceinline__ ListPlace FindPlace(const AtomLists& lists,
                                               int64_t position) {
  const Tops& tops = lists.tops;
  int32_t low = 0;
  int32_t high = tops.count - 1;
  while (low < high) {
    const int32_t middle = (low + high) / 2;
    if (tops.first + tops.ends[middle] > position) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const AtomList list = tops.lists[low];
  const auto within = static_cast<int32_t>(position - StartOf(tops, low));
  return {low, list.first_block +
                   LoadToStay(
                       &lists.index[list.first_index + within / kIndexDigits])};
}

// A lane's block of those that a warp has side by side, in rising order: digits
// from `start` on, relative to some place near by, which are those at
// table[source + start] and so on. INT32_MAX: it has none.
struct LaneBlock {
  int32_t start;
  int32_t source;
  ListPlace place;
};

// The blocks from `place` on, one for each lane, relative to `origin`, or as
// many as it takes up to `wanted` digits behind that. `ahead` is what stands in
// the list for this lane. A whole warp calls it.
__device__ __forceinline__ LaneBlock ReadBlocks(const AtomLists& lists,
                                                ListPlace place,
                                                ListedBlock ahead,
                                                int64_t origin,
                                                int64_t wanted) {
  const Tops& tops = lists.tops;
  LaneBlock mine = {INT32_MAX, 0, place};
  int32_t listed = 0;
  for (;;) {
    const int64_t end = tops.first + tops.ends[place.top] - origin;
    const int64_t start = StartOf(tops, place.top) - origin + ahead.start;
    const bool is_there = LaneId() >= listed;
    const uint32_t past = __ballot_sync(kWholeWarp, is_there && start >= end);
    const int32_t lanes = past != 0 ? __ffs(past) - 1 : kWarpSize;
    if (is_there && LaneId() < lanes) {
      mine = {static_cast<int32_t>(start),
              ahead.source - static_cast<int32_t>(start),
              {place.top, place.block + LaneId() - listed}};
    }
    listed = lanes;
    if (listed == kWarpSize || end >= wanted || place.top + 1 == tops.count) {
      return mine;
    }
    ++place.top;
    place.block = tops.lists[place.top].first_block;
    if (LaneId() >= listed) {
      ahead = LoadToStay(&lists.blocks[place.block + LaneId() - listed]);
    }
  }
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_LISTS_CUH_
