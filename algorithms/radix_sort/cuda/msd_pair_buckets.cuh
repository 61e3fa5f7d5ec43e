// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The last step of the sort from the highest digit for keys with values, which
// stand in order of their prefixes. A block sorts a bucket as it does one of
// keys alone, but by words that are all different: what is left of a key, and
// below it where in the bucket it stands. So equal keys keep their order, and a
// word tells which value is its own.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_BUCKETS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_BUCKETS_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_listed.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// Bits of a word that say where in its bucket a key stands.
inline constexpr int kPlaceBits = 13;
inline constexpr uint32_t kPlaceMask = (1u << kPlaceBits) - 1;
static_assert(kMostListed == 1 << kPlaceBits);

template <typename Bits>
__device__ __forceinline__ Bits PairWord(Bits key, uint32_t place) {
  return static_cast<Bits>(key << kPlaceBits | place);
}

// Elements that a bucket's places are counted from: vectors of either array
// start there.
inline constexpr uint32_t kPairAlignment = 4;

template <typename Value, typename P>
struct PairMemory {
  BucketMemory<P> words;
  // The values of the bucket, by place.
  alignas(16) Value values[P::kMost + 2 * kPairAlignment];
};

// Copies values [begin, end) into shared memory. They are there when this
// thread has waited for its copies, and all others for theirs.
template <int kThreads, typename Value>
__device__ __forceinline__ void FetchBucketValues(const Value* values,
                                                  uint32_t begin, uint32_t end,
                                                  Value* shared) {
  constexpr uint32_t kLanes = Vector<Value>::kLanes;
  const Span<const Value> span = {values, begin, end};
  auto* const vectors = reinterpret_cast<Vector<Value>*>(shared);
  for (uint32_t i = threadIdx.x; begin + i * kLanes < end; i += kThreads) {
    CopyVectorAsync(&vectors[i], span, begin + i * kLanes);
  }
}

// What the passes leave and where the sorted elements go. Positions of fewer
// bits than they have in the output are widened.
template <typename Bits, typename Value, typename Out>
struct PairArrays {
  Elements<const Bits, const Value> by_prefix;
  Elements<Bits, Out> out;
  KeyMap<Bits> map;
};

// Writes a bucket's elements to where it starts. The lower bits of a word are a
// place.
template <int kThreads, typename Bits, typename Value, typename Out>
__device__ __forceinline__ void StorePairs(const Bits* sorted, uint32_t size,
                                           int rest, Bits prefix,
                                           KeyMap<Bits> map,
                                           const Value* values, Bits* keys_out,
                                           Out* values_out) {
  const auto mask = static_cast<Bits>((Bits{1} << rest) - 1);
  for (uint32_t i = threadIdx.x; i < size; i += kThreads) {
    const Bits word = sorted[i];
    const auto left = static_cast<Bits>(word >> kPlaceBits) & mask;
    keys_out[i] = map.Unmap(static_cast<Bits>(prefix | left));
    values_out[i] = values[static_cast<uint32_t>(word) & kPlaceMask];
  }
}

template <typename Bits, typename Value, typename Out, typename P>
__device__ __forceinline__ void SortPairBucket(
    uint32_t bucket, const PairArrays<Bits, Value, Out>& arrays,
    PrefixDigits digits, MsdState* state, PairMemory<Value, P>& memory) {
  const uint32_t begin = state->first[bucket];
  const uint32_t end = state->first[bucket + 1];
  if (begin == end) return;
  if (end - begin > P::kMost) return ListBucket(bucket, state);
  const uint32_t base = begin / kPairAlignment * kPairAlignment;
  FetchBucketValues<P::kThreads>(arrays.by_prefix.values, base, end,
                                 memory.values);
  const int shift = state->rest - P::kColumnBits + kPlaceBits;
  const bool sorted = SortWords<P>(
      arrays.by_prefix.keys, begin, end, shift,
      [base](Bits key, uint32_t i) { return PairWord(key, i - base); },
      memory.words);
  WaitForCopies();
  if (!sorted) return ListBucket(bucket, state);
  __syncthreads();
  StorePairs<P::kThreads>(memory.words.places, end - begin, state->rest,
                          BitsOfBucket<Bits>(*state, digits, bucket),
                          arrays.map, memory.values, arrays.out.keys + begin,
                          arrays.out.values + begin);
}

// P::kInTurn buckets to a block.
template <typename Bits, typename Value, typename Out, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    SortPairBuckets(PairArrays<Bits, Value, Out> arrays, PrefixDigits digits,
                    MsdState* state) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PairMemory<Value, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
#pragma unroll 1
  for (uint32_t bucket = blockIdx.x; bucket < 1u << digits.bits();
       bucket += gridDim.x) {
    SortPairBucket(bucket, arrays, digits, state, memory);
    __syncthreads();
  }
}

// Those that are left, of up to kMostListed elements.
template <typename Bits, typename Value, typename Out>
__global__ void __launch_bounds__(kListedThreads, 2)
    SortListedPairs(PairArrays<Bits, Value, Out> arrays, PrefixDigits digits,
                    const MsdState* state) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<ListedMemory<Bits>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  const uint32_t listed = state->listed;
  const int rest = state->rest;
  for (uint32_t at = blockIdx.x; at < listed; at += gridDim.x) {
    const uint32_t bucket = state->list[at];
    const uint32_t begin = state->first[bucket];
    const uint32_t size = state->first[bucket + 1] - begin;
    const Bits* const keys = arrays.by_prefix.keys + begin;
    SortListed(
        size, {kPlaceBits, kPlaceBits + rest},
        [&](uint32_t place) { return PairWord(keys[place], place); }, memory);
    StorePairs<kListedThreads>(
        memory.words, size, rest, BitsOfBucket<Bits>(*state, digits, bucket),
        arrays.map, arrays.by_prefix.values + begin, arrays.out.keys + begin,
        arrays.out.values + begin);
    __syncthreads();
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIR_BUCKETS_CUH_
