// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys that are spread evenly need not be counted before they are partitioned.
// Every bucket has room for more keys than the mean, so where it starts is
// known before. A sample tells whether all rooms are large enough, by all
// chance. How many keys a bucket has is known once they are there. If a room
// was too small after all, the keys are counted, and partitioned once more.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_ROOMS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_ROOMS_CUH_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sectors.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

// For prefixes of two digits of kDigitBits.
inline constexpr int kRooms = kDigits * kDigits;
// Vectors of the sample.
inline constexpr int kRoomSample = 1 << 17;

// How large the rooms are, and what of a sample of so many keys is too much.
struct RoomSizes {
  // Keys; the rooms of words start at vectors' boundaries. 0: no rooms, the
  // sample only tells whether keys come too often.
  uint32_t bucket;
  uint32_t most_of_digit;
  uint32_t most_of_bucket;
  uint32_t most_excess;
  uint32_t most_twins;

  __host__ __device__ uint32_t of_digit() const { return bucket * kDigits; }
};

// How often a sampled key may be equal to one before it. As many as keys that
// come once in the mean give, or each twice, leave columns room enough. From
// three times as many on, too many keys wait for their columns.
inline uint32_t MostTwinsFor(int64_t n) {
  // What a table shows that has a place for every second key.
  constexpr double kShown = 0.568;
  constexpr double kTwins = kRoomSample;
  const double by_chance =
      kShown * kTwins * kTwins / 2 / static_cast<double>(n);
  return static_cast<uint32_t>(2.5 * by_chance + 2 * std::sqrt(by_chance));
}

// For n keys, in buckets of at most `most`: a quarter more than the mean. What
// a sample says is believed up to three deviations, and of all buckets together
// up to four. No rooms if even keys could fail by that.
inline RoomSizes RoomSizesFor(int64_t n, int64_t most, int lanes) {
  const auto sampled = static_cast<double>(int64_t{kRoomSample} * lanes);
  const int64_t wanted = n / kRooms + n / kRooms / 4;
  const auto bucket = static_cast<uint32_t>(std::min(wanted, most) / 8 * 8);
  const double of_digit = sampled / n * bucket * kDigits;
  const double most_of_digit = of_digit - 3 * std::sqrt(of_digit);
  const double even_digit = sampled / kDigits;
  const uint32_t most_twins = MostTwinsFor(n);
  if (most_of_digit < even_digit + 4 * std::sqrt(even_digit)) {
    return {0, 0, 0, 0, most_twins};
  }
  const double even_bucket = sampled / kRooms;
  const double pairs = sampled * even_bucket / 2;
  return {bucket, static_cast<uint32_t>(most_of_digit),
          static_cast<uint32_t>(even_bucket + 6 * std::sqrt(even_bucket) + 5),
          static_cast<uint32_t>(4 * std::sqrt(pairs)), most_twins};
}

// Where the first partition puts keys: the rooms of as many digits as fit are
// in the output, from its first sector on, the others somewhere else.
template <typename Bits>
struct RoomPlaces {
  static constexpr bool kInRooms = true;
  Bits* keys;
  Bits* others;
  uint32_t split;  // the first place that is elsewhere

  __device__ __forceinline__ Bits& operator[](uint32_t place) const {
    return place < split ? keys[place] : others[place - split];
  }
};

inline constexpr int kRoomSampleThreads = 256;
inline constexpr int kRoomSampleLoads = 4;
inline constexpr int kRoomSampleBlocks =
    kRoomSample / (kRoomSampleThreads * kRoomSampleLoads);

// Counts the prefixes of the sample, and how many of its vectors' first keys
// are equal to one before. The keys are more.
template <typename Bits>
__global__ void __launch_bounds__(kRoomSampleThreads)
    SampleRooms(Span<const Bits> keys, KeyMap<Bits> map, PrefixDigits digits,
                MsdState* state) {
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  constexpr int kLanes = Vector<Bits>::kLanes;
  const int64_t from = RoundUpToVector<Bits>(keys.begin);
  const int64_t step = (keys.end - from) / (int64_t{kRoomSample} * kLanes);
  Vector<Bits> vectors[kRoomSampleLoads];
#pragma unroll
  for (int load = 0; load < kRoomSampleLoads; ++load) {
    const int64_t stretch =
        (int64_t{load} * gridDim.x + blockIdx.x) * kRoomSampleThreads +
        threadIdx.x;
    const int64_t within = SampledOf(stretch, step);
    vectors[load] = LoadVector(keys, from + (stretch * step + within) * kLanes);
  }
  uint32_t twins = 0;
#pragma unroll
  for (int load = 0; load < kRoomSampleLoads; ++load) {
    const Bits first = vectors[load].lane(0);
    const uint32_t slot = (first * 0x9e3779b1u) >> (32 - kMostPrefixBits);
    if (atomicExch(&state->list[slot], first) == first) ++twins;
  }
  twins = WarpReduce<Add<uint32_t>>(twins);
  if (LaneId() == 0 && twins != 0) atomicAdd(&state->twins, twins);
#pragma unroll
  for (int load = 0; load < kRoomSampleLoads; ++load) {
#pragma unroll
    for (int k = 0; k < kLanes; ++k) {
      const Bits key = map.Map(vectors[load].lane(k));
      atomicAdd(&state->counts[static_cast<uint32_t>(key >> state->rest) &
                               (kRooms - 1)],
                1u);
    }
  }
}

// A block for each upper digit. The last one decides. `head` is where the
// first room starts.
template <typename Bits>
__global__ void __launch_bounds__(kDigits)
    ChooseRooms(RoomSizes sizes, uint32_t head, MsdState* state) {
  __shared__ unsigned long long pairs_of_block;
  __shared__ uint32_t sum_of_block;
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded) return;
  const int t = threadIdx.x;
  const uint32_t digit = blockIdx.x;
  if (t == 0) sum_of_block = pairs_of_block = 0;
  __syncthreads();
  const uint32_t bucket = digit * kDigits + t;
  const unsigned long long count = state->counts[bucket];
  state->counts[bucket] = 0;
  state->next[bucket] = 0;
  state->list[bucket] = 0;
  const uint32_t sum = WarpReduce<Add<uint32_t>>(static_cast<uint32_t>(count));
  const uint64_t pairs =
      WarpReduce<Add<uint64_t>>(static_cast<uint64_t>(count * (count - 1) / 2));
  if (LaneId() == 0) {
    atomicAdd(&sum_of_block, sum);
    atomicAdd(&pairs_of_block, static_cast<unsigned long long>(pairs));
  }
  if (count > sizes.most_of_bucket) state->uneven = 1;
  __syncthreads();
  if (t == 0) {
    // With as many of each bucket of the digit.
    const unsigned long long by_chance =
        static_cast<unsigned long long>(sum_of_block) * sum_of_block /
        (2 * kDigits);
    atomicAdd(&state->excess, pairs_of_block - by_chance);
    if (sum_of_block > sizes.most_of_digit) state->uneven = 1;
    state->upper_first[digit] = head + digit * sizes.of_digit();
    state->upper_next[digit] = state->upper_first[digit];
    if (digit == 0) {
      state->upper_first[kDigits] = head + kDigits * sizes.of_digit();
    }
  }
  if (!ArriveLast(&state->arrivals) || t != 0) return;
  // Less than by chance is fine.
  const auto excess = static_cast<long long>(state->excess);
  const bool repeat = state->twins > sizes.most_twins;
  if (repeat) state->crowded = 1;
  state->in_rooms = sizes.bucket != 0 && !repeat && !state->uneven &&
                            excess <= sizes.most_excess
                        ? 1
                        : 0;
  state->excess = 0;
  state->uneven = 0;
  state->twins = 0;
  state->overflows = 0;
  state->outliers = 0;
  state->outliers_below = 0;
}

// The second partition, of which each upper digit has `tiles` blocks.
template <typename Bits, typename Word, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionRooms(RoomPlaces<Bits> places, RoomSizes sizes, uint32_t tiles,
                   KeyMap<Bits> map, PrefixDigits digits, MsdState* state,
                   Word* words) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<PartitionMemory<Bits, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || !state->in_rooms) return;
  const uint32_t upper = blockIdx.x / tiles;
  const uint32_t first = state->upper_first[upper];
  const uint32_t size = state->upper_next[upper] - first;
  if (size > sizes.of_digit() || state->outliers > kMostOutliers) {
    if (threadIdx.x == 0) state->overflows = 1;
    return;
  }
  const TileRange range = {0, size, blockIdx.x % tiles * P::kTile, upper};
  if (range.begin >= size) return;
  PartitionTile<false>(
      &places[first], range, map, {state->rest, kDigits - 1}, memory,
      [&](int value, uint32_t count) {
        const uint32_t bucket = upper * kDigits + value;
        uint32_t place = atomicAdd(&state->next[bucket], count);
        if (place + count > sizes.bucket) {
          // Behind the last room there are places for a tile.
          place = 0;
          state->overflows = 1;
        }
        return bucket * sizes.bucket + place;
      },
      words);
}

// A block for each upper digit: where the buckets start in the output, or that
// the keys are to be counted.
template <typename Bits>
__global__ void __launch_bounds__(kDigits)
    SumUpRooms(uint32_t n, MsdState* state) {
  __shared__ uint32_t warp_totals[kDigits / kWarpSize];
  __shared__ uint32_t base;
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || !state->in_rooms) return;
  const int t = threadIdx.x;
  const uint32_t of_upper = state->upper_next[t] - state->upper_first[t];
  const uint32_t before = SumOfLowerDigits(of_upper, warp_totals);
  if (t == static_cast<int>(blockIdx.x)) base = state->outliers_below + before;
  __syncthreads();
  const uint32_t bucket = blockIdx.x * kDigits + t;
  const uint32_t count = state->next[bucket];
  state->first[bucket] = base + SumOfLowerDigits(count, warp_totals);
  if (bucket != kRooms - 1) return;
  state->first[kRooms] = n - (state->outliers - state->outliers_below);
  // The other blocks may see it as they start; then they do nothing.
  if (state->overflows) state->in_rooms = 0;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_ROOMS_CUH_
