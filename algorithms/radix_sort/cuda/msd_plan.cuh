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

#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kMostPrefixBits = 16;
inline constexpr int kMostBuckets = 1 << kMostPrefixBits;
// Keys that differ from the sampled ones in bits above the prefix.
inline constexpr uint32_t kMostOutliers = 8192;

// A prefix is two digits, by each of which the keys are partitioned once.
struct PrefixDigits {
  int upper;  // bits, 0 where one partition does
  int lower;

  __host__ __device__ int bits() const { return upper + lower; }
};

// Of sampled keys, those that are equal to one before them, that agree with one
// in all bits from a shift on, that agree with their neighbour in the digit by
// which they are partitioned first, and that are too many of a prefix.
struct SampleCounts {
  uint32_t equal;
  uint32_t repeats;
  uint32_t neighbours;
  uint32_t crowded;
};

// Device memory that is kept from call to call.
struct MsdState {
  // Set where the keys are left to another sort.
  uint32_t crowded;
  // Set where the keys are not counted, but partitioned into buckets that have
  // room enough by all that a sample tells (msd_rooms.cuh).
  uint32_t in_rooms;
  // Set where the counts are right, and prefixes the upper halves of 4 bytes.
  uint32_t halves_counted;
  // Bits that follow the prefix.
  int rest;
  // Some key, mapped, and the bits in which others differ from it.
  unsigned long long key;
  unsigned long long differing;
  // Of the first sample, and zero between calls: in which bits keys differ.
  unsigned long long sampled;
  SampleCounts sample;
  // Buckets that are left to the second way of sorting them.
  uint32_t listed;

  // Blocks that have arrived where the last one decides.
  uint32_t arrivals;
  // Of the sample for rooms: pairs of keys with the same prefix, beyond those
  // that come by chance; and whether more have one than there is room for.
  unsigned long long excess;
  uint32_t uneven;
  // Of the same sample: keys that are equal to one before them.
  uint32_t twins;
  // Set where a room was too small after all, or outliers are too many.
  uint32_t overflows;
  // Keys in rooms: of how many the bits above the prefix differ, which they
  // are, and how many are smaller than all others (msd_outliers.cuh).
  uint32_t outliers;
  uint32_t outliers_below;
  uint32_t outlier[kMostOutliers];

  // Of the upper digit: keys, where they start, where the next one goes, and
  // the tiles of the values before.
  uint32_t upper_counts[kDigits];
  uint32_t upper_first[kDigits + 1];
  uint32_t upper_next[kDigits];
  uint32_t upper_tiles[kDigits + 1];
  // Of the prefix. Counts are all zero between calls.
  alignas(16) uint32_t counts[kMostBuckets];
  uint32_t next[kMostBuckets];
  uint32_t first[kMostBuckets + 1];
  uint32_t list[kMostBuckets];

  // Whether keys differ in higher bits than the sample showed.
  __device__ __forceinline__ bool HasOtherBits(PrefixDigits digits) const {
    const int used = rest + digits.bits();
    return used < 64 && (differing >> used) != 0;
  }
};

// Adds a thread's bits to those of its block; shared memory has no operation of
// its own for 64 of them.
__device__ __forceinline__ void AddBits(uint64_t bits, uint32_t* of_block) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    auto word = static_cast<uint32_t>(bits >> 32 * half);
#pragma unroll
    for (int mask = kWarpSize / 2; mask > 0; mask /= 2) {
      word |= ShuffleXor(word, mask);
    }
    if (LaneId() == 0 && word != 0) atomicOr(&of_block[half], word);
  }
}

inline constexpr int kPrefixThreads = 1024;
inline constexpr int kPrefixLoads = 4;

// Counts prefixes. Two 16-bit counters share a word of shared memory. One that
// overflows changes the sum of all, and only where keys crowd.
template <typename Bits>
__global__ void __launch_bounds__(kPrefixThreads, 1)
    CountPrefixes(Span<const Bits> keys, KeyMap<Bits> map, PrefixDigits digits,
                  MsdState* state) {
  extern __shared__ uint4 dynamic_memory[];
  auto* const counts = reinterpret_cast<uint32_t*>(dynamic_memory);
  __shared__ uint32_t differing[2];
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || state->in_rooms) return;
  const int words = 1 << digits.bits() >> 1;
  const uint32_t mask = (2u * words) - 1;
  const int rest = state->rest;
  const auto key = static_cast<Bits>(state->key);
  if (threadIdx.x < 2) differing[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < words; i += kPrefixThreads) counts[i] = 0;
  __syncthreads();

  Bits differ = 0;
  const auto count = [&](Bits raw) {
    const Bits mapped = map.Map(raw);
    differ |= mapped ^ key;
    const uint32_t prefix = static_cast<uint32_t>(mapped >> rest) & mask;
    atomicAdd(&counts[prefix / 2], prefix % 2 == 0 ? 1u : 1u << 16);
  };
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  const int64_t row = gridDim.x * kPrefixThreads * kLanes;
  int64_t first = (int64_t{blockIdx.x} * kPrefixThreads + threadIdx.x) * kLanes;
  for (; first < keys.end; first += kPrefixLoads * row) {
    if (keys.HoldsVectors(first, (kPrefixLoads - 1) * row + kLanes)) {
      Vector<Bits> vectors[kPrefixLoads];
#pragma unroll
      for (int load = 0; load < kPrefixLoads; ++load) {
        vectors[load] = LoadVector(keys, first + load * row);
      }
#pragma unroll
      for (int load = 0; load < kPrefixLoads; ++load) {
#pragma unroll
        for (int k = 0; k < kLanes; ++k) count(vectors[load].lane(k));
      }
    } else {
      for (int load = 0; load < kPrefixLoads; ++load) {
        const int64_t at = first + load * row;
        for (int64_t i = max(at, keys.begin); i < min(at + kLanes, keys.end);
             ++i) {
          count(keys.base[i]);
        }
      }
    }
  }
  AddBits(differ, differing);
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
  if (threadIdx.x == 0) {
    atomicOr(
        &state->differing,
        static_cast<unsigned long long>(differing[1]) << 32 | differing[0]);
  }
}

// A block for each upper digit, which all sum up the upper ones. `tile` is that
// of the last partition, and `skew` how far past a vector's boundary its input
// starts. Buckets of more than `most` are
// another sort's. So are keys that were not counted, as none is found of them.
inline constexpr int kBucketPlanThreads = kDigits;
template <typename Bits>
__global__ void __launch_bounds__(kBucketPlanThreads)
    PlanBuckets(PrefixDigits digits, uint32_t n, uint32_t tile, uint32_t skew,
                uint32_t most, MsdState* state) {
  __shared__ uint32_t warp_totals[kDigits / kWarpSize];
  __shared__ uint32_t base;
  LetNextGridStart();
  WaitForGridBefore();
  if (state->in_rooms) return;
  const int t = threadIdx.x;
  const bool is_first = blockIdx.x == 0;
  const uint32_t of_upper = t < 1 << digits.upper ? state->upper_counts[t] : 0;
  const uint32_t before = SumOfLowerDigits(of_upper, warp_totals);
  if (t == static_cast<int>(blockIdx.x)) base = before;
  if (is_first) {
    state->upper_first[t] = before;
    state->upper_next[t] = before;
    if (t == kDigits - 1) {
      state->upper_first[kDigits] = before + of_upper;
      const bool counted = before + of_upper == n;
      if (!counted || state->HasOtherBits(digits)) state->crowded = 1;
      state->halves_counted = counted && sizeof(Bits) == 4 &&
                                      state->rest + digits.bits() == 32 &&
                                      digits.bits() == kMostPrefixBits
                                  ? 1
                                  : 0;
    }
    __syncthreads();
    constexpr uint32_t kLanes = Vector<Bits>::kLanes;
    const uint32_t from = (before + skew) / kLanes * kLanes;
    const uint32_t tiles =
        of_upper == 0 ? 0 : (before + skew + of_upper - from + tile - 1) / tile;
    const uint32_t tiles_before = SumOfLowerDigits(tiles, warp_totals);
    state->upper_tiles[t] = tiles_before;
    if (t == kDigits - 1) state->upper_tiles[kDigits] = tiles_before + tiles;
  }
  __syncthreads();
  const bool has_bucket = t < 1 << digits.lower;
  const uint32_t bucket = (blockIdx.x << digits.lower) + t;
  const uint32_t count = has_bucket ? state->counts[bucket] : 0;
  const uint32_t first = base + SumOfLowerDigits(count, warp_totals);
  if (!has_bucket) return;
  state->counts[bucket] = 0;
  state->first[bucket] = first;
  state->next[bucket] = first;
  if (bucket == (1u << digits.bits()) - 1) state->first[bucket + 1] = n;
  if (count > most) state->crowded = 1;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PLAN_CUH_
