// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels that partition a member's keys by their highest bits, in any
// order within a digit. As digits are few, threads of a warp would often meet
// in a counter, so a digit has several, which its lanes share.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/gpus/top_digit_plan.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// The highest `bits` bits of mapped keys.
template <typename Bits>
struct TopDigit {
  KeyMap<Bits> map;
  int bits;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return static_cast<uint32_t>(map.Map(key) >> (8 * sizeof(Bits) - bits));
  }
};

// --- How many keys each digit has, by a sample ---

inline constexpr int kSampleTopThreads = 512;
inline constexpr int kSampleTopBlocks = 4;
inline constexpr int kSampleTopLoads = 4;

// Adds to counts[0, kMostTopDigits) what one vector of each `step` has. A
// lane's counters are in a bank of its own.
template <typename Bits>
__global__ void __launch_bounds__(kSampleTopThreads, kSampleTopBlocks)
    SampleTopDigits(Span<const Bits> keys, TopDigit<Bits> digit, int64_t step,
                    uint32_t* counts) {
  extern __shared__ uint32_t of_lanes[];
  const int digits = 1 << digit.bits;
  for (int i = threadIdx.x; i < digits * kWarpSize; i += kSampleTopThreads) {
    of_lanes[i] = 0;
  }
  __syncthreads();
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  const int64_t row = int64_t{gridDim.x} * kSampleTopThreads;
  int64_t stretch = int64_t{blockIdx.x} * kSampleTopThreads + threadIdx.x;
  for (; stretch * step * kLanes < keys.end; stretch += kSampleTopLoads * row) {
    int64_t first[kSampleTopLoads];
    Vector<Bits> vectors[kSampleTopLoads];
#pragma unroll
    for (int load = 0; load < kSampleTopLoads; ++load) {
      const int64_t mine = stretch + load * row;
      first[load] = (mine * step + SampledOf(mine, step)) * kLanes;
      vectors[load] = keys.HoldsVectors(first[load], kLanes)
                          ? LoadVector(keys, first[load])
                          : LoadElements(keys, first[load], Bits{0});
    }
#pragma unroll
    for (int load = 0; load < kSampleTopLoads; ++load) {
#pragma unroll
      for (int k = 0; k < kLanes; ++k) {
        const int64_t at = first[load] + k;
        if (at < keys.begin || at >= keys.end) continue;
        atomicAdd(
            &of_lanes[digit(vectors[load].lane(k)) * kWarpSize + LaneId()], 1u);
      }
    }
  }
  __syncthreads();
  for (int i = WarpId(); i < digits; i += kSampleTopThreads / kWarpSize) {
    const uint32_t sum =
        WarpReduce<Add<uint32_t>>(of_lanes[i * kWarpSize + LaneId()]);
    if (LaneId() == 0 && sum != 0) atomicAdd(&counts[i], sum);
  }
}

// --- Partition ---

// With 24 keys to a thread, registers are too few.
using TopPartition = PartitionPolicy<512, 16, 2>;

// Where a member's keys of each digit go, and how many have room there. A tile
// with keys beyond that leaves them in a place that nobody reads.
template <typename Bits>
struct TopDestinations {
  Bits* of[kMostTopDigits];
  uint32_t room[kMostTopDigits];
  Bits* nowhere;
};

template <typename Bits, typename P>
struct TopPartitionMemory {
  uint32_t counts[kDigits];
  uint32_t first[kDigits + 1];
  // Of each digit: where the key at place 0 of the tile would go.
  Bits* to[kMostTopDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
  alignas(16) Bits keys[P::kTile];
};

// A tile. `next` counts the keys of each digit in the tiles so far.
template <bool kWhole, typename Bits, typename P>
__device__ __forceinline__ void PartitionTopTile(
    Span<const Bits> in, int64_t begin, const TopDigit<Bits>& digit,
    const TopDestinations<Bits>& to, uint32_t* next,
    TopPartitionMemory<Bits, P>& memory) {
  constexpr int kLanes = Vector<Bits>::kLanes;
  // As many counters to a digit as there is room for, to a lane at most one.
  const int shared_out = min(5, 8 - digit.bits);
  const uint32_t counter_of_lane = LaneId() & ((1u << shared_out) - 1);
  const auto counter_of = [&](Bits key) {
    return digit(key) << shared_out | counter_of_lane;
  };
  const auto is_there = [&](int i) {
    const int64_t at = begin + PartitionPart<Bits, P>::Place(i);
    return kWhole || (at >= in.begin && at < in.end);
  };
  PartitionPart<Bits, P> part;
#pragma unroll
  for (int i = 0; i < P::kItems; i += kLanes) {
    const int64_t first = begin + part.Place(i);
    const Vector<Bits> vector =
        kWhole ? LoadVector(in, first) : LoadElements(in, first, Bits{0});
#pragma unroll
    for (int k = 0; k < kLanes; ++k) part.keys[i + k] = vector.lane(k);
  }
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    part.SetRank(
        i, is_there(i) ? atomicAdd(&memory.counts[counter_of(part.keys[i])], 1u)
                       : 0u);
  }
  __syncthreads();
  const int t = threadIdx.x;
  const uint32_t count = t < kDigits ? memory.counts[t] : 0;
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (t < kDigits) {
    memory.first[t] = first;
    if (t == kDigits - 1) memory.first[kDigits] = first + count;
  }
  __syncthreads();
  if (t < 1 << digit.bits) {
    const uint32_t low = memory.first[t << shared_out];
    const uint32_t here = memory.first[(t + 1) << shared_out] - low;
    const uint32_t place = here == 0 ? 0 : atomicAdd(&next[t], here);
    Bits* const there =
        place + here <= to.room[t] ? to.of[t] + place : to.nowhere;
    memory.to[t] = there - low;
  }
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    if (is_there(i)) {
      memory.keys[memory.first[counter_of(part.keys[i])] + part.rank(i)] =
          part.keys[i];
    }
  }
  __syncthreads();
  const uint32_t all = memory.first[1 << (digit.bits + shared_out)];
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const uint32_t place = i * P::kThreads + t;
    if (!kWhole && place >= all) break;
    const Bits key = memory.keys[place];
    memory.to[digit(key)][place] = key;
  }
}

template <typename Bits, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionTopDigits(Span<const Bits> in, TopDigit<Bits> digit,
                       const __grid_constant__ TopDestinations<Bits> to,
                       uint32_t* next) {
  static_assert(P::kThreads >= kDigits && kDigits == kMostTopDigits);
  extern __shared__ uint4 dynamic_memory[];
  auto& memory =
      *reinterpret_cast<TopPartitionMemory<Bits, P>*>(dynamic_memory);
  const int64_t begin = int64_t{blockIdx.x} * P::kTile;
  if (threadIdx.x < kDigits) memory.counts[threadIdx.x] = 0;
  __syncthreads();
  if (begin >= in.begin && begin + P::kTile <= in.end) {
    PartitionTopTile<true, Bits, P>(in, begin, digit, to, next, memory);
  } else {
    PartitionTopTile<false, Bits, P>(in, begin, digit, to, next, memory);
  }
}

// --- Places between the parts that came together ---

inline constexpr int kFillThreads = 256;

// One block.
template <typename Bits>
__global__ void __launch_bounds__(kFillThreads)
    FillEmptyPlaces(Bits* keys, const __grid_constant__ ArrivedParts parts) {
  static_assert(kFillThreads >= kMostEmpty);
  const auto i = static_cast<int>(threadIdx.x);
  if (i >= parts.empty()) return;
  keys[parts.EmptyPlace(i)] = keys[parts.KeyBeyond(i)];
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_TOP_DIGIT_CUH_
