// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One partition of the sort from the highest digit. Keys with the same digit
// may come in any order, as what follows tells them apart. So a block sorts its
// tile without votes, each key taking the next place of its digit, and takes
// room for each digit from a counter, without looking back over other tiles.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PARTITION_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PARTITION_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// A tile is kThreads * kItems keys; kBlocks blocks share a multiprocessor.
template <int kThreadsOfBlock, int kItemsOfThread, int kBlocksOfProcessor>
struct PartitionPolicy {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kItems = kItemsOfThread;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kTile = kThreads * kItems;
};

// The first partition is by the upper digit, the last one by the lower; where
// one is enough, it is both.
enum class Partition { kFirst, kLast, kOnly };

// Elements [low, high) of the array, of which the tile has those from `begin`.
struct TileRange {
  uint32_t low;
  uint32_t high;
  uint32_t begin;
  uint32_t upper;  // the digit by which they have been partitioned before
};

template <typename Bits, typename P>
struct PartitionMemory {
  uint32_t counts[kDigits];
  uint32_t first[kDigits];
  // Of each digit: where the key at place 0 of the tile would go.
  uint32_t to[kDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
  TileRange range;
  alignas(16) Bits keys[P::kTile];
};

// Which part of which upper digit's keys this block's tile is; none if low and
// high are equal. The first kDigits threads look for it.
template <typename P>
__device__ __forceinline__ void FindTile(const MsdState& state, uint32_t lanes,
                                         uint32_t skew, TileRange* range) {
  const int t = threadIdx.x;
  if (t == 0) range->low = range->high = 0;
  __syncthreads();
  if (t < kDigits) {
    const uint32_t first = state.upper_tiles[t];
    if (blockIdx.x >= first && blockIdx.x < state.upper_tiles[t + 1]) {
      const uint32_t low = state.upper_first[t] + skew;
      range->low = low;
      range->high = state.upper_first[t + 1] + skew;
      range->begin = low / lanes * lanes + (blockIdx.x - first) * P::kTile;
      range->upper = t;
    }
  }
  __syncthreads();
}

// A thread's keys of a tile: kLanes neighbours out of each row of vectors.
template <typename Bits, typename P>
struct PartitionPart {
  static constexpr int kLanes = Vector<Bits>::kLanes;
  Bits keys[P::kItems];
  uint32_t ranks[(P::kItems + 1) / 2];  // two in a word

  __device__ __forceinline__ static uint32_t Place(int i) {
    return (i / kLanes * P::kThreads + threadIdx.x) * kLanes + i % kLanes;
  }
  __device__ __forceinline__ void SetRank(int i, uint32_t rank) {
    uint32_t& two = ranks[i / 2];
    two = i % 2 == 0 ? rank : __byte_perm(two, rank, 0x5410);
  }
  __device__ __forceinline__ uint32_t rank(int i) const {
    return i % 2 == 0 ? ranks[i / 2] & 0xffff : ranks[i / 2] >> 16;
  }
};

// Loads the tile and counts its digits.
template <bool kWhole, bool kMap, typename Bits, typename P>
__device__ __forceinline__ void CountTile(const Bits* array, TileRange range,
                                          KeyMap<Bits> map, KeyDigit digit,
                                          PartitionMemory<Bits, P>& memory,
                                          PartitionPart<Bits, P>& part) {
  constexpr int kLanes = Vector<Bits>::kLanes;
  const Span<const Bits> keys = {array, range.low, range.high};
#pragma unroll
  for (int i = 0; i < P::kItems; i += kLanes) {
    const int64_t first = range.begin + part.Place(i);
    const Vector<Bits> vector =
        kWhole ? LoadVector(keys, first) : LoadElements(keys, first, Bits{0});
#pragma unroll
    for (int k = 0; k < kLanes; ++k) {
      part.keys[i + k] = kMap ? map.Map(vector.lane(k)) : vector.lane(k);
    }
  }
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t at = range.begin + part.Place(i);
    const bool present = kWhole || (at >= range.low && at < range.high);
    part.SetRank(
        i, present ? atomicAdd(&memory.counts[digit(part.keys[i])], 1u) : 0u);
  }
}

// Sorts the tile in shared memory, and writes it from there.
template <bool kWhole, typename Out, typename Bits, typename P>
__device__ __forceinline__ void MoveTile(TileRange range, KeyDigit digit,
                                         uint32_t here,
                                         PartitionMemory<Bits, P>& memory,
                                         const PartitionPart<Bits, P>& part,
                                         Out* out) {
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t at = range.begin + part.Place(i);
    if (kWhole || (at >= range.low && at < range.high)) {
      memory.keys[memory.first[digit(part.keys[i])] + part.rank(i)] =
          part.keys[i];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t place = i * P::kThreads + threadIdx.x;
    if (!kWhole && place >= here) break;
    const Bits key = memory.keys[place];
    out[memory.to[digit(key)] + place] = static_cast<Out>(key);
  }
}

// `array` starts at a vector's boundary, `skew` elements before the first key.
// The output's type has no room for the prefix, or for all of the key.
template <Partition kWhich, typename Bits, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionTiles(const Bits* array, uint32_t skew, uint32_t n,
                   KeyMap<Bits> map, PrefixDigits digits, MsdState* state,
                   Out* out) {
  static_assert(P::kThreads >= kDigits);
  constexpr bool kMap = kWhich != Partition::kLast;
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PartitionMemory<Bits, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  const int t = threadIdx.x;
  TileRange range = {skew, skew + n, blockIdx.x * P::kTile, 0};
  if constexpr (kWhich == Partition::kLast) {
    FindTile<P>(*state, Vector<Bits>::kLanes, skew, &memory.range);
    range = memory.range;
    if (range.low == range.high) return;
  }
  const int shift =
      state->rest + (kWhich == Partition::kFirst ? digits.lower : 0);
  const int bits = kWhich == Partition::kFirst ? digits.upper : digits.lower;
  const KeyDigit digit = {shift, (1u << bits) - 1};
  const bool whole =
      range.begin >= range.low && range.begin + P::kTile <= range.high;
  if (t < kDigits) memory.counts[t] = 0;
  __syncthreads();
  PartitionPart<Bits, P> part;
  if (whole) {
    CountTile<true, kMap>(array, range, map, digit, memory, part);
  } else {
    CountTile<false, kMap>(array, range, map, digit, memory, part);
  }
  __syncthreads();
  uint32_t count = 0;
  uint32_t place = 0;
  if (t < kDigits) {
    count = memory.counts[t];
    if (count != 0) {
      uint32_t* const next =
          kWhich == Partition::kFirst
              ? &state->upper_next[t]
              : &state->next[(range.upper << digits.lower) + t];
      place = atomicAdd(next, count);
    }
  }
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (t < kDigits) {
    memory.first[t] = first;
    memory.to[t] = place - first;
    if (t == kDigits - 1) memory.range.high = first + count;
  }
  __syncthreads();
  if (whole) {
    MoveTile<true>(range, digit, P::kTile, memory, part, out);
  } else {
    MoveTile<false>(range, digit, memory.range.high, memory, part, out);
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PARTITION_CUH_
