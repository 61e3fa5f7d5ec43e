// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Makes the lists of blocks of atoms, step by step: the list of an atom that
// has a step more to make is those of its products, one behind the other.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_MAKE_LISTS_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_MAKE_LISTS_CUH_

#include <cstdint>

#include "concord/algorithms/look_and_say/cuda/lists.cuh"

namespace concord::look_and_say {

inline constexpr int kListThreads = 256;
// So many blocks of threads make the list of an atom together.
inline constexpr int kListParts = 16;

// The lists after some steps: atom a has those from first[a] to first[a + 1],
// the last of which is its end; none where it does not come up. It has so many
// digits.
struct ListsOfStep {
  ListedBlock* blocks;
  const int32_t* first;
  const int32_t* digits;
};

// What atoms become in one step: atom a is products[first[a]] to
// products[first[a + 1]].
struct Decays {
  const int32_t* first;
  const int32_t* products;
};

// Each row of the grid has a block of threads for each atom.
static __global__ void __launch_bounds__(kListThreads)
    GrowLists(Decays decays, ListsOfStep from, ListsOfStep to) {
  const auto atom = static_cast<int32_t>(blockIdx.x);
  int32_t block = to.first[atom];
  const int32_t last = to.first[atom + 1] - 1;
  if (last < block) return;
  const auto thread =
      static_cast<int32_t>(blockIdx.y * kListThreads + threadIdx.x);
  int32_t start = 0;
  for (int32_t i = decays.first[atom]; i < decays.first[atom + 1]; ++i) {
    const int32_t product = decays.products[i];
    const int32_t first = from.first[product];
    const int32_t count = from.first[product + 1] - 1 - first;
    for (int32_t k = thread; k < count; k += kListParts * kListThreads) {
      const ListedBlock listed = from.blocks[first + k];
      to.blocks[block + k] = {start + listed.start, listed.source};
    }
    block += count;
    start += from.digits[product];
  }
  if (thread == 0) to.blocks[last] = {to.digits[atom], 0};
}

// Makes the index of each list, from index[first_index[atom]] on, by such a
// grid.
static __global__ void __launch_bounds__(kListThreads)
    IndexLists(ListsOfStep lists, const int32_t* first_index, int32_t* index) {
  const int32_t first = lists.first[blockIdx.x];
  const int32_t count = lists.first[blockIdx.x + 1] - 1 - first;
  int32_t* const of_atom = index + first_index[blockIdx.x];
  const auto thread =
      static_cast<int32_t>(blockIdx.y * kListThreads + threadIdx.x);
  for (int32_t k = thread; k < count; k += kListParts * kListThreads) {
    const int32_t end = lists.blocks[first + k + 1].start;
    int32_t i =
        (lists.blocks[first + k].start + kIndexDigits - 1) / kIndexDigits;
    for (; i * int64_t{kIndexDigits} < end; ++i) of_atom[i] = k;
  }
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_MAKE_LISTS_CUH_
