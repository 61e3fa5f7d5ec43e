// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the sort from the highest digit finds out before it moves a key. The
// highest bits in which keys differ, at most 16 of them, are a key's prefix,
// and the keys of one prefix are a bucket. A sample tells where the prefix
// starts, one reading of the keys counts the buckets, and from the counts
// follows where each of them starts.
//
// The device decides by itself whether the keys are fit for this: keys that
// crowd in few buckets, or in few values of what follows the prefix, are
// another sort's.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PLAN_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PLAN_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_prefixes.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_state.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

// The last partition has tiles of so many keys, from `skew` keys past a
// vector's boundary on. Buckets of more than `most` are another sort's, and so
// are all keys where more than `most_outliers` are outside the range of the
// prefix.
struct BucketTiles {
  uint32_t tile;
  uint32_t skew;
  uint32_t most;
  uint32_t most_outliers;
};

// Of the keys that were set aside: all, and those before the first bucket.
struct OutlierCounts {
  uint32_t all = 0;
  uint32_t below = 0;

  __device__ __forceinline__ OutlierCounts(const BucketTiles& tiles,
                                           const MsdState& state) {
    if (tiles.most_outliers == 0) return;
    all = __ldcg(&state.outliers);
    below = __ldcg(&state.outliers_below);
  }
  __device__ __forceinline__ uint32_t above() const { return all - below; }
};

// Of the upper digit: where its keys start, and its tiles. Keys that were
// neither counted nor set aside are another sort's, and so are all keys where
// too many were set aside. The first kDigits threads work.
template <typename Bits>
__device__ __forceinline__ void PlanUpperDigits(PrefixDigits digits, uint32_t n,
                                                const BucketTiles& tiles,
                                                const OutlierCounts& outliers,
                                                MsdState* state) {
  __shared__ uint32_t warp_totals[kDigits / kWarpSize];
  const int t = threadIdx.x;
  const uint32_t count =
      t < 1 << digits.upper ? __ldcg(&state->upper_counts[t]) : 0;
  const uint32_t before = outliers.below + SumOfLowerDigits(count, warp_totals);
  constexpr uint32_t kLanes = Vector<Bits>::kLanes;
  const uint32_t first = before + tiles.skew;
  const uint32_t of_digit =
      count == 0 ? 0 : (first % kLanes + count + tiles.tile - 1) / tiles.tile;
  __syncthreads();
  const uint32_t tiles_before = SumOfLowerDigits(of_digit, warp_totals);
  if (t >= kDigits) return;
  state->upper_first[t] = before;
  state->upper_next[t] = before;
  state->upper_tiles[t] = tiles_before;
  if (t < kDigits - 1) return;
  state->upper_first[kDigits] = before + count;
  state->upper_tiles[kDigits] = tiles_before + of_digit;
  const int used = state->rest + digits.bits();
  const bool is_counted = before + count == n - outliers.above();
  if (!is_counted || outliers.all > tiles.most_outliers) state->crowded = 1;
  state->halves_counted = is_counted && sizeof(Bits) == 4 && used == 32 &&
                                  digits.bits() == kMostPrefixBits
                              ? 1
                              : 0;
}

// Where the buckets start, in order from `before` to `end`. Of their counts
// nothing is left.
__device__ __forceinline__ void PlanBuckets(uint32_t buckets, uint32_t before,
                                            uint32_t end, uint32_t most,
                                            MsdState* state) {
  __shared__ uint32_t totals[kPrefixThreads / kWarpSize];
  for (uint32_t from = 0; from < buckets; from += 4 * kPrefixThreads) {
    const uint32_t at = from + 4 * threadIdx.x;
    const bool is_there = at < buckets;
    auto* const counts = reinterpret_cast<uint4*>(&state->counts[at]);
    const uint4 count = is_there ? __ldcg(counts) : make_uint4(0, 0, 0, 0);
    const uint32_t all = count.x + count.y + count.z + count.w;
    uint32_t sums[1] = {all};
    WarpInclusiveScan<Add<uint32_t>>(sums);
    if (LaneId() == kWarpSize - 1) totals[WarpId()] = sums[0];
    __syncthreads();
    uint32_t of_warps[1] = {totals[LaneId()]};
    WarpInclusiveScan<Add<uint32_t>>(of_warps);
    uint4 first;
    first.x = before + sums[0] - all;
    if (WarpId() > 0) first.x += ShuffleFrom(of_warps[0], WarpId() - 1);
    first.y = first.x + count.x;
    first.z = first.y + count.y;
    first.w = first.z + count.z;
    before += ShuffleFrom(of_warps[0], kWarpSize - 1);
    __syncthreads();
    if (!is_there) continue;
    *counts = make_uint4(0, 0, 0, 0);
    *reinterpret_cast<uint4*>(&state->first[at]) = first;
    *reinterpret_cast<uint4*>(&state->next[at]) = first;
    if (max(max(count.x, count.y), max(count.z, count.w)) > most) {
      state->crowded = 1;
    }
  }
  if (threadIdx.x == 0) state->first[buckets] = end;
}

// Before the next call. All blocks call it.
__device__ __forceinline__ void ClearSample(PrefixDigits digits,
                                            MsdState* state) {
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t i = thread; i < 1u << kSampleSlotBits; i += threads) {
    state->sampled[i] = 0;
  }
  for (uint32_t i = thread; i < 1u << digits.bits(); i += threads) {
    state->sampled_prefixes[i] = 0;
  }
}

// Counts prefixes, and sets outliers aside. The last block finds out where
// buckets start.
template <typename Bits>
__global__ void __launch_bounds__(kPrefixThreads, 1)
    CountPrefixes(Span<const Bits> keys, KeyMap<Bits> map, PrefixDigits digits,
                  BucketTiles tiles, MsdState* state) {
  extern __shared__ uint4 dynamic_memory[];
  auto* const counts = reinterpret_cast<uint32_t*>(dynamic_memory);
  __shared__ uint32_t full;
  LetNextGridStart();
  WaitForGridBefore();
  ClearSample(digits, state);
  if (state->crowded || state->in_rooms) return;
  const int words = 1 << digits.bits() >> 1;
  const PrefixRange<Bits> inside(*state, digits);
  if (threadIdx.x == 0) full = 0;
  for (int i = threadIdx.x; i < words; i += kPrefixThreads) counts[i] = 0;
  __syncthreads();

  CountOrSetAside(keys, map, inside, {counts, (2u * words) - 1, state->rest},
                  &full, state);
  __syncthreads();
  // There are at least 64 prefixes to each upper digit, or none to any.
  for (int i = threadIdx.x; i < words; i += kPrefixThreads) {
    const uint32_t two = counts[i];
    const unsigned long long low = two & 0xffff;
    const unsigned long long high = two >> 16;
    if (two != 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(state->counts) + i,
                high << 32 | low);
    }
    const uint32_t sum =
        WarpReduce<Add<uint32_t>>(static_cast<uint32_t>(low + high));
    if (LaneId() == 0 && sum != 0) {
      atomicAdd(&state->upper_counts[2 * i >> digits.lower], sum);
    }
  }
  // Every thread's additions come before its block's arrival.
  __threadfence();
  __syncthreads();
  if (!ArriveLast(&state->arrivals)) return;
  const auto n = static_cast<uint32_t>(keys.end - keys.begin);
  const OutlierCounts outliers(tiles, *state);
  PlanUpperDigits<Bits>(digits, n, tiles, outliers, state);
  PlanBuckets(1u << digits.bits(), outliers.below, n - outliers.above(),
              tiles.most, state);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PLAN_CUH_
