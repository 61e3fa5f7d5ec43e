// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first partition of many keys. Memory takes whole sectors only; where a
// part of one is written, the rest may have to be fetched first. So a block,
// which partitions one tile after the other, writes as many keys of a digit as
// fill sectors, and keeps the others until the next tile.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SECTORS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SECTORS_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_outliers.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

inline constexpr int kSectorBytes = 32;
template <typename Bits>
inline constexpr uint32_t kSectorKeys = kSectorBytes / sizeof(Bits);

// The places of one digit, taken in turn from the first whole sector on. Those
// before it come last.
template <typename Bits>
struct DigitPlaces {
  uint32_t first;
  uint32_t size;
  uint32_t head;  // places before the first whole sector

  // `skew` is how many keys past a sector's boundary the array starts.
  __device__ __forceinline__ DigitPlaces(const MsdState& state, uint32_t digit,
                                         uint32_t skew)
      : first(state.upper_first[digit]),
        size(state.upper_first[digit + 1] - first),
        head(-(first + skew) % kSectorKeys<Bits>) {}

  // `next` is what the digit's counter says, which starts at `first`.
  __device__ __forceinline__ uint32_t operator[](uint32_t next) const {
    return first + (next - first + head) % size;
  }
  __device__ __forceinline__ bool EndsWithin(uint32_t place,
                                             uint32_t count) const {
    return place + count > first + size;
  }
};

// Of a digit's keys in a sorted tile: where the key at place 0 of the tile
// would go, as an address and as a place, and the first one that is kept.
template <typename Bits>
struct alignas(16) SectorRun {
  Bits* at;
  uint32_t to;
  uint32_t end;
};

template <typename Bits, typename P>
struct SectorMemory {
  static constexpr int kMostKept = kSectorKeys<Bits> - 1;

  uint32_t counts[kDigits];
  uint32_t first[kDigits];
  SectorRun<Bits> runs[kDigits];
  uint32_t kept_counts[kDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
  uint32_t here;
  Bits kept[kMostKept][kDigits];
  alignas(16) Bits keys[P::kTile + kMostKept * kDigits];
};

// How many of `count` keys fill sectors.
template <typename Bits>
__device__ __forceinline__ uint32_t InSectors(uint32_t count) {
  return count / kSectorKeys<Bits> * kSectorKeys<Bits>;
}

// Takes places for what fills sectors of the keys kept and those of the tile.
// All threads call it; each of the first kDigits gets what its digit's counter
// said.
template <typename Bits, typename P>
__device__ __forceinline__ uint32_t TakeSectors(MsdState* state,
                                                SectorMemory<Bits, P>& memory) {
  const int t = threadIdx.x;
  uint32_t next = 0;
  uint32_t count = 0;
  if (t < kDigits) {
    count = memory.counts[t] + memory.kept_counts[t];
    const uint32_t whole = InSectors<Bits>(count);
    if (whole != 0) next = atomicAdd(&state->upper_next[t], whole);
  }
  const uint32_t first = SumOfLowerDigits(count, memory.warp_totals);
  if (t < kDigits) {
    memory.first[t] = first + memory.kept_counts[t];
    if (t == kDigits - 1) memory.here = first + count;
  }
  return next;
}

// Puts the kept keys before those of the tile, and says where all go. Returns
// whether they go to two ends of the digit's places.
template <typename Out, typename Bits, typename P>
__device__ __forceinline__ bool PlaceDigit(const MsdState& state, uint32_t next,
                                           uint32_t skew, const Out& out,
                                           SectorMemory<Bits, P>& memory) {
  const int t = threadIdx.x;
  const uint32_t kept = memory.kept_counts[t];
  const uint32_t count = memory.counts[t] + kept;
  const uint32_t first = memory.first[t] - kept;
  for (uint32_t i = 0; i < kept; ++i) {
    memory.keys[first + i] = memory.kept[i][t];
  }
  const uint32_t whole = InSectors<Bits>(count);
  memory.counts[t] = 0;
  memory.kept_counts[t] = count - whole;
  if (whole == 0) {
    memory.runs[t] = {nullptr, 0, first};
    return false;
  }
  const DigitPlaces<Bits> places(state, t, skew);
  const uint32_t place = places[next];
  memory.runs[t] = {&out[place] - first, place - first, first + whole};
  return places.EndsWithin(place, whole);
}

// Writes what fills sectors, and keeps the rest.
template <bool kInTwo, typename Out, typename Bits, typename P>
__device__ __forceinline__ void WriteSectors(const MsdState& state,
                                             KeyDigit digit,
                                             SectorMemory<Bits, P>& memory,
                                             const Out& out) {
  const uint32_t here = memory.here;
#pragma unroll 8
  for (uint32_t i = threadIdx.x; i < here; i += P::kThreads) {
    const Bits key = memory.keys[i];
    const uint32_t value = digit(key);
    const SectorRun<Bits> run = memory.runs[value];
    if (i < run.end) {
      if constexpr (kInTwo) {
        uint32_t place = run.to + i;
        const uint32_t end = state.upper_first[value + 1];
        if (place >= end) place -= end - state.upper_first[value];
        out[place] = key;
      } else if constexpr (Out::kInRooms) {
        // Which saves the choice of an array for each key.
        run.at[i] = key;
      } else {
        out[run.to + i] = key;
      }
    } else {
      memory.kept[i - run.end][value] = key;
    }
  }
}

// The output of keys that have been counted.
template <typename Bits>
struct CountedPlaces {
  static constexpr bool kInRooms = false;
  Bits* keys;

  __device__ __forceinline__ Bits& operator[](uint32_t place) const {
    return keys[place];
  }
};

// `array` starts at a vector's boundary, `skew` elements before the first of n
// keys, and `out` starts `skew_out` elements past a sector's.
template <typename Out, typename Bits, typename P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    PartitionInSectors(const Bits* array, uint32_t skew, uint32_t n,
                       KeyMap<Bits> map, PrefixDigits digits, uint32_t skew_out,
                       MsdState* state, Out out) {
  static_assert(P::kThreads >= kDigits);
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<SectorMemory<Bits, P>*>(dynamic_memory);
  LetNextGridStart();
  WaitForGridBefore();
  if (state->crowded || (state->in_rooms != 0) != Out::kInRooms) return;
  const int t = threadIdx.x;
  const KeyDigit digit = {state->rest + digits.lower, (1u << digits.upper) - 1};
  const PrefixRange<Bits> inside(*state, digits);
  const bool may_have_outliers = Out::kInRooms || state->outliers != 0;
  if (t < kDigits) memory.counts[t] = memory.kept_counts[t] = 0;
  __syncthreads();
  const uint32_t tiles = (skew + n + P::kTile - 1) / P::kTile;
#pragma unroll 1
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const TileRange range = {skew, skew + n, tile * P::kTile, 0};
    bool whole = range.HoldsTile(P::kTile);
    PartitionPart<Bits, P> part;
    if (whole) {
      CountTile<true, true>(array, range, map, digit, memory.counts, part);
    } else {
      CountTile<false, true>(array, range, map, digit, memory.counts, part);
    }
    if (__syncthreads_or(may_have_outliers &&
                         HasOutlier(part, whole, inside))) {
      whole = false;
      if (!TakeOutliers<Out::kInRooms>(inside, digit, memory.counts, part,
                                       state)) {
        return;
      }
    }
    const uint32_t next = TakeSectors(state, memory);
    __syncthreads();
    if (whole) {
      SortTile<true>(digit, memory.first, part, memory.keys);
    } else {
      SortTile<false>(digit, memory.first, part, memory.keys);
    }
    const bool in_two =
        t < kDigits && PlaceDigit(*state, next, skew_out, out, memory);
    if (__syncthreads_or(in_two)) {
      WriteSectors<true>(*state, digit, memory, out);
    } else {
      WriteSectors<false>(*state, digit, memory, out);
    }
  }
  __syncthreads();
  if (t >= kDigits || memory.kept_counts[t] == 0) return;
  const DigitPlaces<Bits> places(*state, t, skew_out);
  const uint32_t kept = memory.kept_counts[t];
  const uint32_t next = atomicAdd(&state->upper_next[t], kept);
  for (uint32_t i = 0; i < kept; ++i) {
    out[places[next + i]] = memory.kept[i][t];
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_SECTORS_CUH_
