// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The buckets that have too many keys for their columns, or too many in one of
// them. They are sorted from the lowest digit, as a tile is.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LISTED_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LISTED_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

inline constexpr int kListedThreads = 512;
inline constexpr int kListedItems = 16;
inline constexpr int kMostListed = kListedThreads * kListedItems;
static_assert(kMostOutliers <= kMostListed);

template <typename Word>
struct ListedMemory {
  RankMemory<kListedThreads / kWarpSize> rank;
  Word words[kMostListed];
};

// Sorts words of the block by one digit. Each thread has `rows` of them, and
// those of a warp stand together.
template <typename Word>
__device__ __forceinline__ void SortRowsByDigit(Word (&words)[kListedItems],
                                                int rows, KeyDigit digit,
                                                ListedMemory<Word>& memory) {
  const int mine = WarpId() * rows * kWarpSize + LaneId();
  ClearCounts(memory.rank);
  __syncthreads();
  uint32_t* const counts = memory.rank.counts[WarpId()];
#pragma unroll
  for (int i = 0; i < kListedItems; ++i) {
    if (i < rows) atomicAdd(&counts[digit(words[i])], 1u);
  }
  __syncthreads();
  SumUpCounts<kListedThreads>(memory.rank, [](uint32_t) {});
#pragma unroll
  for (int i = 0; i < kListedItems; ++i) {
    if (i >= rows) break;
    memory.words[TakePlace<false>(digit(words[i]), counts)] = words[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kListedItems; ++i) {
    if (i < rows) words[i] = memory.words[mine + i * kWarpSize];
  }
}

// Sorts words(i), i = 0, ..., size - 1, by some digits, into memory.words.
template <typename Word, typename F>
__device__ __forceinline__ void SortListed(uint32_t size, KeyDigits digits,
                                           const F& words,
                                           ListedMemory<Word>& memory) {
  const int rows =
      (static_cast<int>(size) + kListedThreads - 1) / kListedThreads;
  const uint32_t mine = WarpId() * rows * kWarpSize + LaneId();
  Word of_thread[kListedItems];
#pragma unroll
  for (int i = 0; i < kListedItems; ++i) {
    const uint32_t place = mine + i * kWarpSize;
    // What is absent comes last, after all that has the highest digits.
    of_thread[i] =
        i < rows && place < size ? words(place) : static_cast<Word>(~Word{0});
  }
#pragma unroll 1
  for (int pass = 0; pass < digits.count(); ++pass) {
    SortRowsByDigit(of_thread, rows, digits[pass], memory);
  }
  __syncthreads();
}

// Puts the keys that were set aside before and behind all others, by one block.
template <typename Bits>
__device__ __forceinline__ void StoreOutliers(uint32_t n, KeyMap<Bits> map,
                                              const MsdState& state,
                                              ListedMemory<Bits>& memory,
                                              Bits* out) {
  const uint32_t size = state.outliers;
  if (size == 0) return;
  SortListed(
      size, {0, 8 * static_cast<int>(sizeof(Bits))},
      [&](uint32_t i) { return static_cast<Bits>(state.outlier[i]); }, memory);
  for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
    const uint32_t place = i < state.outliers_below ? i : n - size + i;
    out[place] = map.Unmap(memory.words[i]);
  }
  __syncthreads();
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LISTED_CUH_
