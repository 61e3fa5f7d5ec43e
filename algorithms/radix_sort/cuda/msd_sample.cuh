// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first steps of the sort from the highest digit: a sample of the keys
// tells where their prefix starts, and then whether they are likely to crowd.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kSampleThreads = 256;

// A sample of kVectors vectors, each thread of a grid having one of them. The
// keys are at least as many as the vectors have room for.
template <typename Bits, int kVectors>
struct KeySample {
  static constexpr int kLanes = Vector<Bits>::kLanes;
  static constexpr int kKeys = kVectors * kLanes;
  static constexpr int kBlocks = kVectors / kSampleThreads;
  static_assert(kVectors % kSampleThreads == 0);

  Span<const Bits> keys;
  KeyMap<Bits> map;

  // One that others are compared with: in the middle, as it is at the ends that
  // there may be one unlike all others.
  __device__ __forceinline__ Bits Key() const {
    return map.Map(keys.base[keys.begin + (keys.end - keys.begin) / 2]);
  }
  // The bits in which sampled keys differ from that one. All blocks read all of
  // them, so that none waits for another.
  __device__ __forceinline__ uint64_t DifferingBits() const {
    __shared__ uint32_t of_block[2];
    if (threadIdx.x < 2) of_block[threadIdx.x] = 0;
    __syncthreads();
    const Bits key = Key();
    Bits differ = 0;
#pragma unroll 8
    for (int block = 0; block < kBlocks; ++block) {
      const Vector<Bits> vector = Load(block);
#pragma unroll
      for (int k = 0; k < kLanes; ++k) differ |= map.Map(vector.lane(k)) ^ key;
    }
    AddBits(differ, of_block);
    __syncthreads();
    return uint64_t{of_block[1]} << 32 | of_block[0];
  }

  // The vector that this thread has in a block.
  __device__ __forceinline__ Vector<Bits> Load(int block) const {
    // The first whole vector, and how many each sampled one stands for.
    const int64_t from = RoundUpToVector<Bits>(keys.begin);
    const int64_t step = (keys.end - from) / kKeys;
    const int64_t stretch = int64_t{block} * kSampleThreads + threadIdx.x;
    const int64_t within = SampledOf(stretch, step);
    return LoadVector(keys, from + (stretch * step + within) * kLanes);
  }
};

// Notes a key where a hash puts it, in place of the one before. Of its bits
// `left` follow those by which it is put into a column, and `rest` the prefix.
// More than `limit` of a prefix crowd.
template <typename Bits>
__device__ __forceinline__ void NoteSampled(Bits key, int left, int rest,
                                            PrefixDigits digits, uint32_t limit,
                                            MsdState* state,
                                            SampleCounts& counts) {
  const uint64_t upper = Scatter(uint64_t{key} >> left);
  const uint32_t all =
      static_cast<uint32_t>(uint64_t{key} >> 32 ^ key) * 0x9e3779b1u;
  const uint32_t note =
      (static_cast<uint32_t>(upper) & 0xffff0000u) | all >> 16;
  const uint32_t other =
      atomicExch(&state->sampled[upper >> (64 - kSampleSlotBits)], note);
  if (other == note) ++counts.equal;
  if ((other ^ note) >> 16 == 0) ++counts.repeats;
  const uint32_t prefix =
      static_cast<uint32_t>(key >> rest) & ((1u << digits.bits()) - 1);
  if (atomicAdd(&state->sampled_prefixes[prefix], 1u) >= limit) {
    ++counts.crowded;
  }
}

// Whether counts are beyond all chance for n keys that are spread over `bits`
// bits and in no order.
template <int kSampled, int kLanes>
__device__ __forceinline__ bool AreCrowded(const SampleCounts& counts,
                                           int64_t n, int bits, int left) {
  constexpr float kPairs = 0.5f * kSampled * kSampled;
  // Where there are three of each key, columns begin to overflow. As many
  // pairs as one of each gives come by chance, and two deviations more.
  const float by_chance = kPairs / static_cast<float>(n);
  const float twins = 1.5f * by_chance + 2 * sqrtf(by_chance);
  const float expected = ldexpf(kPairs, left - bits);
  constexpr uint32_t kNeighbours = kSampled / kLanes * (kLanes - 1);
  return counts.crowded > 0 || (counts.equal >= 2 && counts.equal > twins) ||
         counts.repeats > 2 * expected + 16 ||
         counts.neighbours > kNeighbours / 2;
}

// Adds what the threads of a warp have counted to `all`.
__device__ __forceinline__ void AddSampled(uint32_t count, uint32_t* all) {
  const uint32_t sum = WarpReduce<Add<uint32_t>>(count);
  if (LaneId() == 0 && sum != 0) atomicAdd(all, sum);
}

// Finds the bits in which sampled keys differ, and looks at what follows the
// highest of them. `columns` is the number of bits after the prefix by which a
// bucket is split once more. The last block decides.
template <typename Bits, int kVectors>
__global__ void __launch_bounds__(kSampleThreads)
    SampleKeys(KeySample<Bits, kVectors> keys, PrefixDigits digits, int columns,
               MsdState* state) {
  using Sample = KeySample<Bits, kVectors>;
  LetNextGridStart();
  WaitForGridBefore();
  if (blockIdx.x == 0 && threadIdx.x < kDigits) {
    state->upper_counts[threadIdx.x] = 0;
  }
  const int bits = 64 - __clzll(static_cast<long long>(keys.DifferingBits()));
  // Shorter keys have too many of a kind.
  const int left = bits - digits.bits() - columns;
  const int rest = left + columns;
  SampleCounts& all = state->sample;
  if (left >= 0) {
    const Vector<Bits> vector = keys.Load(blockIdx.x);
    const float mean = ldexpf(Sample::kKeys, -digits.bits());
    const auto limit = static_cast<uint32_t>(mean + 6 * sqrtf(mean) + 5);
    const int first_shift = rest + (digits.upper == 0 ? 0 : digits.lower);
    SampleCounts counts{};
    Bits before = 0;
#pragma unroll
    for (int k = 0; k < Sample::kLanes; ++k) {
      const Bits mapped = keys.map.Map(vector.lane(k));
      NoteSampled(mapped, left, rest, digits, limit, state, counts);
      if (k > 0 && (mapped ^ before) >> first_shift == 0) ++counts.neighbours;
      before = mapped;
    }
    AddSampled(counts.equal, &all.equal);
    AddSampled(counts.repeats, &all.repeats);
    AddSampled(counts.neighbours, &all.neighbours);
    AddSampled(counts.crowded, &all.crowded);
  }
  __syncthreads();
  if (!ArriveLast(&state->arrivals) || threadIdx.x != 0) return;
  const SampleCounts counts = {
      atomicExch(&all.equal, 0u), atomicExch(&all.repeats, 0u),
      atomicExch(&all.neighbours, 0u), atomicExch(&all.crowded, 0u)};
  state->rest = rest;
  state->key = keys.Key();
  state->listed = 0;
  state->outliers = 0;
  state->outliers_below = 0;
  state->in_rooms = 0;
  state->halves_counted = 0;
  state->crowded =
      left < 0 || AreCrowded<Sample::kKeys, Sample::kLanes>(
                      counts, keys.keys.end - keys.keys.begin, bits, left)
          ? 1
          : 0;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_
