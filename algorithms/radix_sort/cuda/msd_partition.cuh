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

// A tile is kThreads * kItems keys; kBlocks blocks share a multiprocessor. If
// there are many tiles, the first partition is in sectors (msd_sectors.cuh).
template <int kThreadsOfBlock, int kItemsOfThread, int kBlocksOfProcessor,
          bool kManyTiles = true>
struct PartitionPolicy {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kItems = kItemsOfThread;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kTile = kThreads * kItems;
  static constexpr bool kInSectors = kManyTiles;
};

// The first partition is by the upper digit, where one is enough by the lower.
enum class Partition { kFirst, kOnly };

// Elements [low, high) of the array, of which the tile has those from `begin`.
struct TileRange {
  uint32_t low;
  uint32_t high;
  uint32_t begin;
  uint32_t upper;  // the digit by which they have been partitioned before

  __device__ __forceinline__ bool Holds(uint32_t i) const {
    return i >= low && i < high;
  }
  __device__ __forceinline__ bool HoldsTile(int tile) const {
    return begin >= low && begin + tile <= high;
  }
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

// Which part of which upper digit's keys a tile is. The first kDigits threads
// look for it.
template <typename P>
__device__ __forceinline__ void FindTile(const MsdState& state, uint32_t tile,
                                         uint32_t lanes, uint32_t skew,
                                         TileRange* range) {
  const int t = threadIdx.x;
  if (t < kDigits) {
    const uint32_t first = state.upper_tiles[t];
    if (tile >= first && tile < state.upper_tiles[t + 1]) {
      const uint32_t low = state.upper_first[t] + skew;
      range->low = low;
      range->high = state.upper_first[t + 1] + skew;
      range->begin = low / lanes * lanes + (tile - first) * P::kTile;
      range->upper = t;
    }
  }
  __syncthreads();
}

// A thread's keys of a tile: kLanes neighbours out of each row of vectors.
template <typename Bits, typename P>
struct PartitionPart {
  static constexpr int kLanes = Vector<Bits>::kLanes;
  // The rank of a key that is not of the tile, or not to be partitioned.
  static constexpr uint32_t kAbsent = 0xffff;
  static_assert(P::kTile <= kAbsent);

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
                                          uint32_t* counts,
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
    const bool present = kWhole || range.Holds(range.begin + part.Place(i));
    part.SetRank(i, present ? atomicAdd(&counts[digit(part.keys[i])], 1u)
                            : part.kAbsent);
  }
}

// Sorts the tile in shared memory: a digit's keys start at `first` of it.
template <bool kWhole, typename Bits, typename P>
__device__ __forceinline__ void SortTile(KeyDigit digit, const uint32_t* first,
                                         const PartitionPart<Bits, P>& part,
                                         Bits* sorted) {
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t rank = part.rank(i);
    if (kWhole || rank != part.kAbsent) {
      sorted[first[digit(part.keys[i])] + rank] = part.keys[i];
    }
  }
}

// Writes the sorted tile of `here` keys.
template <bool kWhole, typename Out, typename Bits, typename P>
__device__ __forceinline__ void WriteTile(
    KeyDigit digit, uint32_t here, const PartitionMemory<Bits, P>& memory,
    Out* out) {
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t place = i * P::kThreads + threadIdx.x;
    if (!kWhole && place >= here) break;
    const Bits key = memory.keys[place];
    out[memory.to[digit(key)] + place] = static_cast<Out>(key);
  }
}

// A tile of `array`. `take(value, count)` says where so many keys of one digit
// go; one thread of the first kDigits calls it for each value there is.
template <bool kMap, typename Bits, typename Out, typename P, typename F>
__device__ __forceinline__ void PartitionTile(const Bits* array,
                                              TileRange range, KeyMap<Bits> map,
                                              KeyDigit digit,
                                              PartitionMemory<Bits, P>& memory,
                                              const F& take, Out* out) {
  static_assert(P::kThreads >= kDigits);
  const int t = threadIdx.x;
  const bool whole = range.HoldsTile(P::kTile);
  if (t < kDigits) memory.counts[t] = 0;
  __syncthreads();
  PartitionPart<Bits, P> part;
  if (whole) {
    CountTile<true, kMap>(array, range, map, digit, memory.counts, part);
  } else {
    CountTile<false, kMap>(array, range, map, digit, memory.counts, part);
  }
  __syncthreads();
  const uint32_t count = t < kDigits ? memory.counts[t] : 0;
  const uint32_t place = count == 0 ? 0 : take(t, count);
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (t < kDigits) {
    memory.first[t] = first;
    if (t == kDigits - 1) memory.range.high = first + count;
  }
  __syncthreads();
  if (whole) {
    SortTile<true>(digit, memory.first, part, memory.keys);
  } else {
    SortTile<false>(digit, memory.first, part, memory.keys);
  }
  // Not before: a counter's answer takes as long as sorting.
  if (t < kDigits) memory.to[t] = place - first;
  __syncthreads();
  if (whole) {
    WriteTile<true>(digit, P::kTile, memory, out);
  } else {
    WriteTile<false>(digit, memory.range.high, memory, out);
  }
}

// The first partition, or the only one. `array` starts at a vector's boundary,
// `skew` elements before the first key. The output's type has no room for the
// prefix, or for all of the key.
template <Partition kWhich, typename Bits, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionTiles(const Bits* array, uint32_t skew, uint32_t n,
                   KeyMap<Bits> map, PrefixDigits digits, MsdState* state,
                   Out* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PartitionMemory<Bits, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || state->in_rooms) return;
  constexpr bool kIsFirst = kWhich == Partition::kFirst;
  const KeyDigit digit = {state->rest + (kIsFirst ? digits.lower : 0),
                          (1u << (kIsFirst ? digits.upper : digits.lower)) - 1};
  uint32_t* const next = kIsFirst ? state->upper_next : state->next;
  PartitionTile<true>(
      array, {skew, skew + n, blockIdx.x * P::kTile, 0}, map, digit, memory,
      [next](int value, uint32_t count) {
        return atomicAdd(&next[value], count);
      },
      out);
}

// The last of two partitions. Blocks take tiles in turn.
template <typename Bits, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionLastTiles(const Bits* array, uint32_t skew, KeyMap<Bits> map,
                       PrefixDigits digits, MsdState* state, Out* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PartitionMemory<Bits, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || state->in_rooms) return;
  const uint32_t tiles = state->upper_tiles[kDigits];
#pragma unroll 1
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    FindTile<P>(*state, tile, Vector<Bits>::kLanes, skew, &memory.range);
    const TileRange range = memory.range;
    uint32_t* const next = &state->next[range.upper << digits.lower];
    PartitionTile<false>(
        array, range, map, {state->rest, (1u << digits.lower) - 1}, memory,
        [next](int value, uint32_t count) {
          return atomicAdd(&next[value], count);
        },
        out);
    // The memory is the next tile's.
    __syncthreads();
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PARTITION_CUH_
