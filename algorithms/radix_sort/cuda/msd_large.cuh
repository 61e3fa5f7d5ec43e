// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The buckets that columns have no room for, each by one block. One that shared
// memory has no room for is sorted through global memory: by one digit after
// the other from the lowest on, tile by tile, each tile as a small bucket is.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LARGE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LARGE_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_listed.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// Keys of the largest bucket: more would take one block longer than onesweep
// takes for all keys, and a sample tells most crowds of so many.
inline constexpr uint32_t kMostLarge = 4 * kMostListed;

template <typename Bits>
struct LargeMemory {
  ListedMemory<Bits> tile;
  // Of each digit: where its next key goes, and where its keys start in the
  // tile.
  uint32_t next[kDigits];
  uint32_t first[kDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
};

// Finds out where the keys of each digit go.
template <typename Bits>
__device__ __forceinline__ void CountDigits(const Bits* keys, uint32_t size,
                                            KeyDigit digit,
                                            LargeMemory<Bits>& memory) {
  const int t = threadIdx.x;
  if (t < kDigits) memory.next[t] = 0;
  __syncthreads();
  for (uint32_t i = t; i < size; i += kListedThreads) {
    atomicAdd(&memory.next[digit(keys[i])], 1u);
  }
  __syncthreads();
  const uint32_t count = t < kDigits ? memory.next[t] : 0;
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (t < kDigits) memory.next[t] = first;
  __syncthreads();
}

// Moves the keys of a tile to where they go by one digit, each as put(key) has
// it.
template <typename Bits, typename F>
__device__ __forceinline__ void MoveTileByDigit(const Bits* keys, uint32_t size,
                                                KeyDigits one,
                                                LargeMemory<Bits>& memory,
                                                const F& put, Bits* to) {
  const KeyDigit digit = one[0];
  const Bits* const sorted = memory.tile.words;
  SortListed(
      size, one, [&](uint32_t i) { return keys[i]; }, memory.tile);
  for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
    const uint32_t value = digit(sorted[i]);
    if (i == 0 || digit(sorted[i - 1]) != value) memory.first[value] = i;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
    const uint32_t value = digit(sorted[i]);
    to[memory.next[value] + i - memory.first[value]] = put(sorted[i]);
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
    const uint32_t value = digit(sorted[i]);
    if (i == size - 1 || digit(sorted[i + 1]) != value) {
      memory.next[value] += i + 1 - memory.first[value];
    }
  }
  __syncthreads();
}

// Sorts the keys by bits [0, end), to `out`; both arrays change.
template <typename Bits>
__device__ __forceinline__ void SortLarge(Bits* keys, uint32_t size, int end,
                                          KeyMap<Bits> map,
                                          LargeMemory<Bits>& memory,
                                          Bits* out) {
  const Bits* from = keys;
  if (KeyDigits{0, end}.count() % 2 == 0) {
    for (uint32_t i = threadIdx.x; i < size; i += kListedThreads) {
      out[i] = keys[i];
    }
    from = out;
    __syncthreads();
  }
#pragma unroll 1
  for (int first = 0; first < end; first += kDigitBits) {
    const KeyDigits one = {first, min(first + kDigitBits, end)};
    const bool is_last = one.end_bit == end;
    Bits* const to = from == out ? keys : out;
    CountDigits(from, size, one[0], memory);
#pragma unroll 1
    for (uint32_t tile = 0; tile < size; tile += kMostListed) {
      MoveTileByDigit(
          from + tile, min(size - tile, uint32_t{kMostListed}), one, memory,
          [&](Bits key) { return is_last ? map.Unmap(key) : key; }, to);
    }
    from = to;
  }
}

// The last block also has the keys that were set aside.
template <typename Bits>
__global__ void __launch_bounds__(kListedThreads, 2)
    SortListedBuckets(Bits* words, uint32_t n, KeyMap<Bits> map,
                      PrefixDigits digits, const MsdState* state, Bits* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<LargeMemory<Bits>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  if (blockIdx.x == gridDim.x - 1) {
    StoreOutliers(n, map, *state, memory.tile, out);
  }
  const uint32_t listed = state->listed;
  for (uint32_t at = blockIdx.x; at < listed; at += gridDim.x) {
    const uint32_t bucket = state->list[at];
    const uint32_t begin = state->first[bucket];
    const uint32_t size = state->first[bucket + 1] - begin;
    if (size > kMostListed) {
      SortLarge(words + begin, size, state->rest, map, memory, out + begin);
    } else {
      SortListed(
          size, {0, state->rest}, [&](uint32_t i) { return words[begin + i]; },
          memory.tile);
      StoreBucket<kListedThreads>(memory.tile.words, size, Bits{0}, map,
                                  out + begin);
    }
    __syncthreads();
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_LARGE_CUH_
