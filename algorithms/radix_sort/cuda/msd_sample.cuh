// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first step of the sort from the highest digit: a sample of the keys tells
// where their prefix starts, and whether they are likely to crowd.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kSampleThreads = 1024;
inline constexpr int kSampleSlotBits = 15;

struct SampleMemory {
  // What is noted of sampled keys, each where a hash puts it, in place of the
  // one before.
  alignas(16) uint32_t slots[1 << kSampleSlotBits];
  // How many have a prefix, four to a word.
  uint32_t prefixes[kMostBuckets / 4];
};

// Of sampled keys, those that are equal to one before them, that agree with one
// in all bits from a shift on, and that agree with their neighbour in the digit
// by which they are partitioned first.
struct SampleCounts {
  uint32_t equal;
  uint32_t repeats;
  uint32_t neighbours;
  uint32_t crowded;  // those beyond `limit` of a prefix

  // `left` bits follow those by which keys are put into columns, and `rest` the
  // prefix.
  template <typename Bits>
  __device__ __forceinline__ void Note(Bits key, int left, int rest,
                                       PrefixDigits digits, uint32_t limit,
                                       SampleMemory& memory) {
    const uint64_t upper = Scatter(uint64_t{key} >> left);
    const uint32_t all =
        static_cast<uint32_t>(uint64_t{key} >> 32 ^ key) * 0x9e3779b1u;
    const uint32_t note =
        (static_cast<uint32_t>(upper) & 0xffff0000u) | all >> 16;
    const uint32_t other =
        atomicExch(&memory.slots[upper >> (64 - kSampleSlotBits)], note);
    if (other == note) ++equal;
    if ((other ^ note) >> 16 == 0) ++repeats;
    const uint32_t prefix =
        static_cast<uint32_t>(key >> rest) & ((1u << digits.bits()) - 1);
    const uint32_t shift = prefix % 4 * 8;
    const uint32_t before =
        atomicAdd(&memory.prefixes[prefix / 4], 1u << shift) >> shift & 0xff;
    if (before >= limit) ++crowded;
  }

  // The block's sums, in its first thread. `of_block` is zero before.
  __device__ __forceinline__ void SumUp(SampleCounts& of_block) {
    const uint32_t sums[] = {WarpReduce<Add<uint32_t>>(equal),
                             WarpReduce<Add<uint32_t>>(repeats),
                             WarpReduce<Add<uint32_t>>(neighbours),
                             WarpReduce<Add<uint32_t>>(crowded)};
    if (LaneId() == 0) {
      atomicAdd(&of_block.equal, sums[0]);
      atomicAdd(&of_block.repeats, sums[1]);
      atomicAdd(&of_block.neighbours, sums[2]);
      atomicAdd(&of_block.crowded, sums[3]);
    }
    __syncthreads();
    if (threadIdx.x == 0) *this = of_block;
  }

  // Whether that is beyond all chance for keys that are spread over `bits` bits
  // and in no order.
  template <int kSampled, int kLanes>
  __device__ __forceinline__ bool AreCrowded(int64_t n, int bits,
                                             int left) const {
    constexpr float kPairs = 0.5f * kSampled * kSampled;
    // Where there are three of each key, columns begin to overflow. As many
    // pairs as one of each gives come by chance, and two deviations more.
    const float by_chance = kPairs / static_cast<float>(n);
    const float twins = 1.5f * by_chance + 2 * sqrtf(by_chance);
    const float expected = ldexpf(kPairs, left - bits);
    constexpr uint32_t kNeighbours = kSampled / kLanes * (kLanes - 1);
    return crowded > 0 || (equal >= 2 && equal > twins) ||
           repeats > 2 * expected + 16 || neighbours > kNeighbours / 2;
  }
};

// One block, of kLoads vectors a thread; the keys are at least as many.
// `columns` is the number of bits after the prefix by which a bucket is split
// once more.
template <typename Bits, int kLoads>
__global__ void __launch_bounds__(kSampleThreads)
    SampleKeys(Span<const Bits> keys, KeyMap<Bits> map, PrefixDigits digits,
               int columns, MsdState* state) {
  constexpr int kLanes = Vector<Bits>::kLanes;
  constexpr int kItems = kLoads * kLanes;
  constexpr int kSampled = kSampleThreads * kItems;
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<SampleMemory*>(dynamic_memory);
  __shared__ uint32_t differing[2];
  __shared__ SampleCounts of_block;
  LetNextGridStart();
  if (threadIdx.x < 2) differing[threadIdx.x] = 0;
  if (threadIdx.x == 0) of_block = SampleCounts{};
  for (int i = threadIdx.x; i < static_cast<int>(sizeof(memory)) / kVectorBytes;
       i += kSampleThreads) {
    dynamic_memory[i] = make_uint4(0, 0, 0, 0);
  }
  WaitForGridBefore();
  if (threadIdx.x < kDigits) state->upper_counts[threadIdx.x] = 0;
  // The first whole vector, and how many each sampled one stands for.
  const int64_t from = RoundUpToVector<Bits>(keys.begin);
  const int64_t step = (keys.end - from) / (kSampleThreads * kItems);
  const Bits key = map.Map(keys.base[keys.begin]);
  Bits sample[kItems];
  Bits differ = 0;
#pragma unroll
  for (int load = 0; load < kLoads; ++load) {
    const int64_t stretch = load * kSampleThreads + threadIdx.x;
    const int64_t within = SampledOf(stretch, step);
    const Vector<Bits> vector =
        LoadVector(keys, from + (stretch * step + within) * kLanes);
#pragma unroll
    for (int k = 0; k < kLanes; ++k) {
      sample[load * kLanes + k] = map.Map(vector.lane(k));
      differ |= sample[load * kLanes + k] ^ key;
    }
  }
  __syncthreads();
  AddBits(differ, differing);
  __syncthreads();
  const uint64_t in_some = uint64_t{differing[1]} << 32 | differing[0];
  const int bits = 64 - __clzll(static_cast<long long>(in_some));
  // Shorter keys have too many of a kind.
  const int left = bits - digits.bits() - columns;
  const int rest = left + columns;
  SampleCounts counts{};
  if (left >= 0) {
    const float mean = ldexpf(kSampled, -digits.bits());
    const auto limit = static_cast<uint32_t>(mean + 6 * sqrtf(mean) + 5);
    const int first_shift = rest + (digits.upper == 0 ? 0 : digits.lower);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      counts.Note(sample[i], left, rest, digits, limit, memory);
      if (i % kLanes > 0 && (sample[i] ^ sample[i - 1]) >> first_shift == 0) {
        ++counts.neighbours;
      }
    }
  }
  counts.SumUp(of_block);
  if (threadIdx.x != 0) return;
  const int64_t n = keys.end - keys.begin;
  state->rest = rest;
  state->key = key;
  state->differing = 0;
  state->listed = 0;
  state->in_rooms = 0;
  state->crowded =
      left < 0 || counts.AreCrowded<kSampled, kLanes>(n, bits, left) ? 1 : 0;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SAMPLE_CUH_
