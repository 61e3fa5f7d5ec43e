// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The last step of the sort from the highest digit for more keys than columns
// in shared memory have room for, in all buckets or in some. No more than 16
// bits follow the prefix, so a block counts how often each value of them comes
// in a bucket, and writes each value as often. A bucket is read once, whatever
// its size.
//
// A counter has 8 bits. Where one overflows, the sum of all tells, and the
// bucket is counted anew, a quarter of the values at a time with 32 bits.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_COUNTED_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_COUNTED_CUH_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kCountedThreads = 512;
inline constexpr int kCountedBlocks = 2;
inline constexpr int kCounterWords = 32;
inline constexpr int kValueBits = 16;
// Words on their way to the output.
inline constexpr uint32_t kMostStaged = 24 * 1024;
// Larger buckets would keep one block while all others are done.
inline constexpr uint32_t kMostBucketToCount = 1 << 18;

struct CountedMemory {
  // Counters of a thread's values stand a row apart, so that no two threads of
  // a warp meet in a bank. They are zero between buckets.
  alignas(16) uint32_t counters[kCounterWords][kCountedThreads];
  alignas(16) uint16_t staged[kMostStaged];
  uint32_t warp_totals[kCountedThreads / kWarpSize];
};

// Counters of so many bits: which values a thread has.
template <int kBits>
struct Counters {
  static constexpr int kOfWord = 32 / kBits;
  static constexpr uint32_t kOfThread = kCounterWords * kOfWord;
  static constexpr uint32_t kAll = kOfThread * kCountedThreads;
  static constexpr int kRounds = (1 << kValueBits) / kAll;

  __device__ __forceinline__ static void Add(uint32_t value,
                                             CountedMemory& memory) {
    const uint32_t mine = value % kOfThread;
    atomicAdd(&memory.counters[mine / kOfWord][value / kOfThread],
              1u << mine % kOfWord * kBits % 32);
  }
  __device__ __forceinline__ static uint32_t Count(uint32_t word, int i) {
    return kBits == 32 ? word
                       : word >> (i * kBits % 32) & ((1u << kBits % 32) - 1);
  }
  __device__ __forceinline__ static uint32_t Sum(uint32_t word, uint32_t sum) {
    return kBits == 32 ? sum + word : __dp4a(word, 0x01010101u, sum);
  }
};

// What is counted of a word, spread over all values however few bits follow the
// prefix; `up` is how many of 16 do not.
__device__ __forceinline__ uint32_t ValueOf(uint16_t word, int up) {
  return static_cast<uint32_t>(word) << up & ((1u << kValueBits) - 1);
}

// Calls f(word) for each word of a bucket, by all threads together.
template <typename F>
__device__ __forceinline__ void ForEachWord(const uint16_t* words,
                                            uint32_t begin, uint32_t end,
                                            const F& f) {
  constexpr uint32_t kWords = kVectorBytes / sizeof(uint16_t);
  constexpr uint32_t kStride = kWords * kCountedThreads;
  constexpr int kLoads = 4;
  uint32_t first = begin / kWords * kWords + threadIdx.x * kWords;
  for (; first < end; first += kLoads * kStride) {
    uint4 vectors[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const uint32_t at = first + i * kStride;
      if (at < end) vectors[i] = *reinterpret_cast<const uint4*>(words + at);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const uint32_t at = first + i * kStride;
      uint16_t mine[kWords];
      memcpy(mine, &vectors[i], sizeof(mine));
#pragma unroll
      for (uint32_t k = 0; k < kWords; ++k) {
        if (at + k >= begin && at + k < end) f(mine[k]);
      }
    }
  }
}

// What the counters amount to.
template <int kBits>
struct Counted {
  uint32_t sum = 0;     // of the thread
  uint32_t before = 0;  // of the threads before
  uint32_t all = 0;     // of the block

  // Begins when all is counted.
  __device__ __forceinline__ explicit Counted(CountedMemory& memory) {
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < kCounterWords; ++i) {
      sum = Counters<kBits>::Sum(memory.counters[i][threadIdx.x], sum);
    }
    uint32_t sums[1] = {sum};
    WarpInclusiveScan<Add<uint32_t>>(sums);
    if (LaneId() == kWarpSize - 1) memory.warp_totals[WarpId()] = sums[0];
    before = sums[0] - sum;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < kCountedThreads / kWarpSize; ++warp) {
      const uint32_t total = memory.warp_totals[warp];
      if (warp < WarpId()) before += total;
      all += total;
    }
  }

  // Puts those of the block's words that come at [low, low + kMostStaged) in
  // their places. The thread's first value is `value`. Not unrolled: the
  // instructions of all counters would not stay in their cache.
  __device__ __forceinline__ void Stage(uint32_t low, uint32_t value, int up,
                                        CountedMemory& memory) const {
    if (before >= low + kMostStaged || before + sum <= low) return;
    uint32_t place = before - low;
#pragma unroll 1
    for (int i = 0; i < kCounterWords; ++i) {
      const uint32_t counters = memory.counters[i][threadIdx.x];
#pragma unroll
      for (int k = 0; k < Counters<kBits>::kOfWord; ++k, ++value) {
        const auto word = static_cast<uint16_t>(value >> up);
        for (uint32_t left = Counters<kBits>::Count(counters, k); left > 0;
             --left, ++place) {
          // Places below `low` have wrapped.
          if (place < kMostStaged) memory.staged[place] = word;
        }
      }
    }
  }

  // Writes the block's words as keys, and clears the counters.
  template <typename Bits>
  __device__ __forceinline__ void Store(uint32_t value, int up, Bits prefix,
                                        KeyMap<Bits> map, CountedMemory& memory,
                                        Bits* out) const {
    for (uint32_t low = 0; low < all; low += kMostStaged) {
      Stage(low, value, up, memory);
      __syncthreads();
      StoreBucket<kCountedThreads>(memory.staged, min(all - low, kMostStaged),
                                   prefix, map, out + low);
      __syncthreads();
    }
    Clear(memory);
  }

  __device__ __forceinline__ static void Clear(CountedMemory& memory) {
#pragma unroll 8
    for (int i = 0; i < kCounterWords; ++i) {
      memory.counters[i][threadIdx.x] = 0;
    }
    __syncthreads();
  }
};

// With so many bits to a counter; returns whether that was enough.
template <int kBits, typename Bits>
__device__ __forceinline__ bool CountBucket(const uint16_t* words,
                                            uint32_t begin, uint32_t end,
                                            int up, Bits prefix,
                                            KeyMap<Bits> map,
                                            CountedMemory& memory, Bits* out) {
  using Mine = Counters<kBits>;
  uint32_t done = 0;
  for (uint32_t round = 0; round < Mine::kRounds; ++round) {
    ForEachWord(words, begin, end, [&](uint16_t word) {
      const uint32_t value = ValueOf(word, up) - round * Mine::kAll;
      if (Mine::kRounds == 1 || value < Mine::kAll) Mine::Add(value, memory);
    });
    const Counted<kBits> counted(memory);
    if (Mine::kRounds == 1 && counted.all != end - begin) {
      counted.Clear(memory);
      return false;
    }
    counted.Store(round * Mine::kAll + threadIdx.x * Mine::kOfThread, up,
                  prefix, map, memory, out + done);
    done += counted.all;
  }
  return true;
}

// All buckets, or those that are listed.
template <bool kListed, typename Bits>
__global__ void __launch_bounds__(kCountedThreads, kCountedBlocks)
    CountBuckets(const uint16_t* words, uint32_t room, KeyMap<Bits> map,
                 PrefixDigits digits, const MsdState* state, Bits* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<CountedMemory*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  const uint32_t buckets = kListed ? state->listed : 1u << digits.bits();
  if (blockIdx.x >= buckets) return;
  Counted<8>::Clear(memory);
  const int up = kValueBits - state->rest;
  for (uint32_t i = blockIdx.x; i < buckets; i += gridDim.x) {
    const uint32_t bucket = kListed ? state->list[i] : i;
    const uint32_t first = state->first[bucket];
    const uint32_t size = state->first[bucket + 1] - first;
    if (size == 0) continue;
    const uint32_t begin = WordsOf(*state, bucket, room);
    const auto prefix = BitsBefore<uint16_t, Bits>(*state, digits, bucket);
    if (CountBucket<8>(words, begin, begin + size, up, prefix, map, memory,
                       out + first)) {
      continue;
    }
    CountBucket<32>(words, begin, begin + size, up, prefix, map, memory,
                    out + first);
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_COUNTED_CUH_
