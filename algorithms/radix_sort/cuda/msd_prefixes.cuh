// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Counts the prefixes of keys, each block those of its own. A key that differs
// from the sampled ones in bits above the prefix is set aside.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PREFIXES_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PREFIXES_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_state.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

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

// The keys that agree with the sampled ones in all bits above the prefix.
template <typename Bits>
struct PrefixRange {
  Bits key;    // one of them
  Bits above;  // the bits above the prefix

  __device__ __forceinline__ PrefixRange(const MsdState& state,
                                         PrefixDigits digits)
      : key(static_cast<Bits>(state.key)), above(0) {
    const int used = state.rest + digits.bits();
    if (used < 8 * static_cast<int>(sizeof(Bits))) above = ~Bits{0} << used;
  }

  __device__ __forceinline__ bool operator()(Bits other) const {
    return ((key ^ other) & above) == 0;
  }
};

inline constexpr int kPrefixThreads = 1024;
inline constexpr int kPrefixLoads = 4;

// Puts a key outside the range into the list of such. `full` is the block's:
// set when the list has no room.
template <typename Bits>
__device__ __forceinline__ void SetAside(Bits key,
                                         const PrefixRange<Bits>& inside,
                                         volatile uint32_t* full,
                                         MsdState* state) {
  if (*full != 0) return;
  const uint32_t at = atomicAdd(&state->outliers, 1u);
  if (at >= kMostOutliers) {
    *full = 1;
    return;
  }
  if (key < inside.key) atomicAdd(&state->outliers_below, 1u);
  state->outlier[at] = key;
}

// Counters of prefixes in shared memory, two of 16 bits in a word. One that
// overflows changes the sum of all, and only where keys crowd.
struct PrefixCounters {
  uint32_t* words;
  uint32_t mask;
  int rest;

  template <typename Bits>
  __device__ __forceinline__ void Add(Bits mapped) const {
    const uint32_t prefix = static_cast<uint32_t>(mapped >> rest) & mask;
    atomicAdd(&words[prefix / 2], prefix % 2 == 0 ? 1u : 1u << 16);
  }
};

// Counts this thread's keys, and sets aside those outside the range.
template <typename Bits>
__device__ __forceinline__ void CountOrSetAside(const Span<const Bits>& keys,
                                                KeyMap<Bits> map,
                                                const PrefixRange<Bits>& inside,
                                                const PrefixCounters& counters,
                                                volatile uint32_t* full,
                                                MsdState* state) {
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
      Bits mapped[kPrefixLoads * kLanes];
      Bits differ = 0;
#pragma unroll
      for (int i = 0; i < kPrefixLoads * kLanes; ++i) {
        mapped[i] = map.Map(vectors[i / kLanes].lane(i % kLanes));
        differ |= mapped[i] ^ inside.key;
      }
      if ((differ & inside.above) == 0) {
#pragma unroll
        for (int i = 0; i < kPrefixLoads * kLanes; ++i) counters.Add(mapped[i]);
        continue;
      }
    }
    for (int load = 0; load < kPrefixLoads; ++load) {
      const int64_t at = first + load * row;
      for (int64_t i = max(at, keys.begin); i < min(at + kLanes, keys.end);
           ++i) {
        const Bits mapped = map.Map(keys.base[i]);
        if (inside(mapped)) {
          counters.Add(mapped);
        } else {
          SetAside(mapped, inside, full, state);
        }
      }
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PREFIXES_CUH_
