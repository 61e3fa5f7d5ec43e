// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The last step of the sort from the highest digit: a block sorts a bucket in
// shared memory. The bits after the prefix put the keys into columns of 16
// places, about half of which are used; a key that finds its column full waits.
// A thread sorts its columns by a network in registers. Then the columns are
// put one behind the other, and the keys that waited are put in their places.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_BUCKETS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_BUCKETS_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "concord/algorithms/radix_sort/cuda/msd_network.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

inline constexpr int kColumnPlaces = 16;
// kInTurn buckets are sorted one after the other: even blocks that return at
// once, as the keys are another sort's, take their time if there are many. What
// is left of a key in a bucket is a Word: its lowest 16 bits, where no
// more follow the prefix, or all of it.
template <typename WordOfBucket, int kBitsOfColumn, int kBlocksOfProcessor,
          int kBucketsInTurn>
struct BucketPolicy {
  using Word = WordOfBucket;
  // What a network sorts at once.
  using Lane = std::conditional_t<sizeof(Word) == 2, HalfWords, Word>;
  static constexpr int kColumnBits = kBitsOfColumn;
  static constexpr uint32_t kColumns = 1u << kColumnBits;
  static constexpr int kLanes = kColumns * sizeof(Word) / sizeof(Lane);
  static constexpr int kLanesOfThread = 2;
  static constexpr int kThreads = kLanes / kLanesOfThread;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kInTurn = kBucketsInTurn;
  static constexpr int kColumnsOfThread = kColumns / kThreads;
  // Keys of a bucket, 10 to a column.
  static constexpr int kVectors = kColumns * 10 / Vector<uint8_t>::kLanes *
                                  static_cast<int>(sizeof(Word)) / kThreads;
  static constexpr int kWordsOfVector = kVectorBytes / sizeof(Word);
  static constexpr int kMost = (kVectors * kThreads - 1) * kWordsOfVector;
  // Keys that may find their columns full. There are a few of them; 64 where a
  // bucket has two thirds more keys than columns are meant for; some 270 where
  // each key comes three times. Half words have no quick second way.
  static constexpr uint32_t kMostWaiting = sizeof(Word) == 2 ? 384 : 64;
};

template <typename P>
struct BucketMemory {
  using Word = typename P::Word;
  // Row by row; later the sorted bucket.
  alignas(16) Word places[kColumnPlaces * P::kColumns];
  // Keys of a column; later where it starts.
  uint32_t columns[P::kColumns + 1];
  uint32_t warp_totals[P::kThreads / kWarpSize];
  // The keys that wait; of each the one before it of its column, if there is
  // one, and of each column that has any the last one.
  Word waiting[P::kMostWaiting];
  uint32_t before[P::kMostWaiting];
  uint32_t last[P::kColumns];
  uint32_t waiters;
};

// Puts a word into its column.
template <typename P>
__device__ __forceinline__ void FillPlace(typename P::Word word, int shift,
                                          BucketMemory<P>& memory) {
  const auto column = static_cast<uint32_t>(word >> shift) % P::kColumns;
  const uint32_t row = atomicAdd(&memory.columns[column], 1u);
  if (row < kColumnPlaces) {
    memory.places[row * P::kColumns + column] = word;
  } else {
    const uint32_t waiter = atomicAdd(&memory.waiters, 1u);
    if (waiter >= P::kMostWaiting) return;
    memory.waiting[waiter] = word;
    memory.before[waiter] = atomicExch(&memory.last[column], waiter);
  }
}

// Puts words [begin, end) into columns, each as make(word, i) says.
template <typename P, typename F>
__device__ __forceinline__ void FillColumns(const typename P::Word* words,
                                            uint32_t begin, uint32_t end,
                                            int shift, const F& make,
                                            BucketMemory<P>& memory) {
  using Word = typename P::Word;
  constexpr uint32_t kWords = P::kWordsOfVector;
  const uint32_t from = begin / kWords * kWords;
  uint4 vectors[P::kVectors];
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    const uint32_t at = from + (i * P::kThreads + threadIdx.x) * kWords;
    if (at < end) vectors[i] = *reinterpret_cast<const uint4*>(words + at);
  }
  auto* const places = reinterpret_cast<uint4*>(memory.places);
  constexpr int kVectorsOfPlaces = sizeof(memory.places) / kVectorBytes;
  for (int i = threadIdx.x; i < kVectorsOfPlaces; i += P::kThreads) {
    places[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
  }
  for (int i = threadIdx.x; i < P::kColumns; i += P::kThreads) {
    memory.columns[i] = 0;
  }
  if (threadIdx.x == 0) memory.waiters = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < P::kVectors; ++i) {
    const uint32_t at = from + (i * P::kThreads + threadIdx.x) * kWords;
    Word mine[kWords];
    memcpy(mine, &vectors[i], sizeof(mine));
#pragma unroll
    for (uint32_t k = 0; k < kWords; ++k) {
      if (at + k >= begin && at + k < end) {
        FillPlace(make(mine[k], at + k), shift, memory);
      }
    }
  }
  __syncthreads();
}

// Inserts those that wait for a column, if there are any. The first 16 of its
// keys are in order.
template <typename P>
__device__ __forceinline__ void InsertWaiting(uint32_t column,
                                              BucketMemory<P>& memory) {
  using Word = typename P::Word;
  const uint32_t first = memory.columns[column];
  const int count = static_cast<int>(memory.columns[column + 1] - first);
  if (count <= kColumnPlaces) return;
  Word* const sorted = memory.places + first;
  uint32_t waiter = memory.last[column];
  for (int here = kColumnPlaces; here < count; ++here) {
    const Word word = memory.waiting[waiter];
    waiter = memory.before[waiter];
    int place = here;
    for (; place > 0 && sorted[place - 1] > word; --place) {
      sorted[place] = sorted[place - 1];
    }
    sorted[place] = word;
  }
}

// Where columns start instead of how many keys they have. Between the two calls
// of __syncthreads nobody reads them; `while_waiting` runs there too.
template <typename P, typename F>
__device__ __forceinline__ void SumUpColumns(BucketMemory<P>& memory,
                                             const F& while_waiting) {
  constexpr int kMine = P::kColumnsOfThread;
  uint32_t* const mine = memory.columns + threadIdx.x * kMine;
  uint32_t sums[1] = {0};
#pragma unroll
  for (int i = 0; i < kMine; ++i) sums[0] += mine[i];
  uint32_t place = sums[0];
  WarpInclusiveScan<Add<uint32_t>>(sums);
  if (LaneId() == kWarpSize - 1) memory.warp_totals[WarpId()] = sums[0];
  place = sums[0] - place;
  while_waiting();
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < P::kThreads / kWarpSize; ++warp) {
    if (warp < WarpId()) place += memory.warp_totals[warp];
  }
#pragma unroll
  for (int i = 0; i < kMine; ++i) {
    const uint32_t count = mine[i];
    mine[i] = place;
    place += count;
  }
  if (threadIdx.x == P::kThreads - 1) memory.columns[P::kColumns] = place;
  __syncthreads();
}

// One column's words, in order, to where it starts.
template <typename P, typename F>
__device__ __forceinline__ void StoreColumn(uint32_t column,
                                            BucketMemory<P>& memory,
                                            const F& word) {
  const uint32_t first = memory.columns[column];
  const int count = static_cast<int>(memory.columns[column + 1] - first);
#pragma unroll
  for (int i = 0; i < kColumnPlaces; ++i) {
    if (i < count) memory.places[first + i] = word(i);
  }
}

// Writes the sorted bucket as keys.
template <int kThreads, typename Bits, typename Word>
__device__ __forceinline__ void StoreBucket(const Word* sorted, uint32_t size,
                                            Bits prefix, KeyMap<Bits> map,
                                            Bits* out) {
  for (uint32_t i = threadIdx.x; i < size; i += kThreads) {
    out[i] = map.Unmap(static_cast<Bits>(prefix | sorted[i]));
  }
}

// Where a bucket's words start: its room of so many, or where its keys will.
__device__ __forceinline__ uint32_t WordsOf(const MsdState& state,
                                            uint32_t bucket, uint32_t room) {
  return state.in_rooms ? bucket * room : state.first[bucket];
}

// What the keys of a bucket agree in: the prefix and the bits before.
template <typename Bits>
__device__ __forceinline__ Bits BitsOfBucket(const MsdState& state,
                                             PrefixDigits digits,
                                             uint32_t bucket) {
  const int used = state.rest + digits.bits();
  const uint64_t common = used == 64 ? 0 : state.key >> used << used;
  return static_cast<Bits>(common | uint64_t{bucket} << state.rest);
}

// The bits of a bucket's keys that its words do not have.
template <typename Word, typename Bits>
__device__ __forceinline__ Bits BitsBefore(const MsdState& state,
                                           PrefixDigits digits,
                                           uint32_t bucket) {
  return sizeof(Word) == sizeof(Bits)
             ? Bits{0}
             : BitsOfBucket<Bits>(state, digits, bucket);
}

// Leaves the bucket to the second way of sorting them.
__device__ __forceinline__ void ListBucket(uint32_t bucket, MsdState* state) {
  if (threadIdx.x == 0) state->list[atomicAdd(&state->listed, 1u)] = bucket;
}

// Sorts the words that FillColumns makes of words [begin, end), to the front of
// memory.places; false where too many wait for their column. From `shift` on
// they have the bits of their column.
template <typename P, typename F>
__device__ __forceinline__ bool SortWords(const typename P::Word* words,
                                          uint32_t begin, uint32_t end,
                                          int shift, const F& make,
                                          BucketMemory<P>& memory) {
  using Lane = typename P::Lane;
  FillColumns<P>(words, begin, end, shift, make, memory);
  if (memory.waiters > P::kMostWaiting) return false;

  Lane lanes[P::kLanesOfThread][kColumnPlaces];
  SumUpColumns<P>(memory, [&] {
    const auto* const places = reinterpret_cast<const Lane*>(memory.places);
#pragma unroll
    for (int j = 0; j < P::kLanesOfThread; ++j) {
#pragma unroll
      for (int i = 0; i < kColumnPlaces; ++i) {
        lanes[j][i] = places[i * P::kLanes + j * P::kThreads + threadIdx.x];
      }
      SortInRegisters(lanes[j]);
    }
  });
#pragma unroll
  for (int j = 0; j < P::kLanesOfThread; ++j) {
    const uint32_t column =
        (j * P::kThreads + threadIdx.x) * (P::kColumns / P::kLanes);
    if constexpr (sizeof(typename P::Word) == 2) {
      StoreColumn<P>(column, memory, [&](int i) {
        return static_cast<uint16_t>(lanes[j][i].bits);
      });
      StoreColumn<P>(column + 1, memory, [&](int i) {
        return static_cast<uint16_t>(lanes[j][i].bits >> 16);
      });
    } else {
      StoreColumn<P>(column, memory, [&](int i) { return lanes[j][i]; });
    }
  }
  // Not before, as the lanes take all registers.
  constexpr int kColumnsOfLane = P::kColumns / P::kLanes;
#pragma unroll 1
  for (int i = 0; i < P::kLanesOfThread * kColumnsOfLane; ++i) {
    const int lane = i / kColumnsOfLane * P::kThreads + threadIdx.x;
    InsertWaiting<P>(lane * kColumnsOfLane + i % kColumnsOfLane, memory);
  }
  __syncthreads();
  return true;
}

template <typename Bits, typename P>
__device__ __forceinline__ void SortBucket(uint32_t bucket,
                                           const typename P::Word* words,
                                           uint32_t room, KeyMap<Bits> map,
                                           PrefixDigits digits, MsdState* state,
                                           BucketMemory<P>& memory, Bits* out) {
  using Word = typename P::Word;
  const uint32_t begin = state->first[bucket];
  const uint32_t end = state->first[bucket + 1];
  if (begin == end) return;
  const int shift = state->rest - P::kColumnBits;
  const uint32_t at = WordsOf(*state, bucket, room);
  if (end - begin > P::kMost ||
      !SortWords<P>(
          words, at, at + end - begin, shift,
          [](Word word, uint32_t) { return word; }, memory)) {
    ListBucket(bucket, state);
    return;
  }
  StoreBucket<P::kThreads>(memory.places, end - begin,
                           BitsBefore<Word, Bits>(*state, digits, bucket), map,
                           out + begin);
}

template <typename Bits, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    SortBuckets(const typename P::Word* words, uint32_t room, KeyMap<Bits> map,
                PrefixDigits digits, MsdState* state, Bits* out) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<BucketMemory<P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  if constexpr (P::kInTurn == 1) {
    SortBucket(blockIdx.x, words, room, map, digits, state, memory, out);
  } else {
#pragma unroll 1
    for (uint32_t bucket = blockIdx.x; bucket < 1u << digits.bits();
         bucket += gridDim.x) {
      SortBucket(bucket, words, room, map, digits, state, memory, out);
      __syncthreads();
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_BUCKETS_CUH_
