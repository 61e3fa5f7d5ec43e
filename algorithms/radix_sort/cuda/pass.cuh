// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass of the sort, in which elements are read once and written once: each
// block sorts one tile by the digit, and learns by decoupled look-back where
// its elements of each digit go (A. Adinets, D. Merrill, "Onesweep: a faster
// least significant digit radix sort for GPUs", arXiv 2206.01784, 2022).

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASS_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/lookback.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// A tile is kThreads * kItems elements; kBlocks blocks share a multiprocessor;
// kWindow is that of the look-back, kAtomic that of TakePlace. With kAhead,
// values are on their way to shared memory while the keys are ranked.
template <int kThreadsOfBlock, int kItemsOfThread, int kBlocksOfProcessor,
          int kWordsOfWindow, bool kAtomicPlaces, bool kValuesAhead = false>
struct PassPolicy {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kItems = kItemsOfThread;
  static constexpr int kBlocks = kBlocksOfProcessor;
  static constexpr int kWindow = kWordsOfWindow;
  static constexpr bool kAtomic = kAtomicPlaces;
  static constexpr bool kAhead = kValuesAhead;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kTile = kThreads * kItems;
};

// Where a pass finds its elements, and where it puts them.
template <typename Bits, typename Value>
__device__ __forceinline__ Elements<const Bits, const Value> ElementsFrom(
    const SortArrays<Bits, Value>& arrays, Place place) {
  if (place == kInput) return {arrays.keys_in, arrays.values_in};
  const Elements<Bits, Value>& at = place == kSpare ? arrays.spare : arrays.out;
  return {at.keys, at.values};
}

template <typename Bits, typename Value, typename P>
struct PassMemory {
  RankMemory<P::kWarps> rank;
  // The tile in the order of its digits.
  Bits keys[P::kTile];
  Value values[kHasValues<Value> ? P::kTile : 1];
  // Its values as they come.
  alignas(16) Value arriving[kHasValues<Value> && P::kAhead ? P::kTile : 1];
  // Of each digit: where the element at place 0 of the tile would go if it had
  // that digit.
  Bits* keys_to[kDigits];
  void* values_to[kHasValues<Value> ? kDigits : 1];
  TileTicket ticket;
};

// What a thread has of a tile: row i of its warp's stretch, which is P::kItems
// rows of the warp's width.
template <typename Bits, typename P>
struct TilePart {
  int64_t tile_first;
  int here;  // elements of the tile, fewer than P::kTile in the last one
  Bits keys[P::kItems];
  uint32_t places[P::kItems];  // in the sorted tile

  __device__ __forceinline__ TilePart(uint32_t tile, int64_t size)
      : tile_first(int64_t{tile} * P::kTile),
        here(static_cast<int>(min(int64_t{P::kTile}, size - tile_first))) {}

  __device__ __forceinline__ bool whole() const { return here == P::kTile; }
  // Where in the tile an element of this thread stands.
  __device__ __forceinline__ int place(int i) const {
    return (WarpId() * P::kItems + i) * kWarpSize + LaneId();
  }
};

template <typename Bits, typename P>
__device__ __forceinline__ void LoadKeys(const Bits* from, bool map_them,
                                         KeyMap<Bits> map,
                                         TilePart<Bits, P>& part) {
  const Bits* const tile = from + part.tile_first;
  if (part.whole()) {
#pragma unroll
    for (int i = 0; i < P::kItems; ++i) part.keys[i] = tile[part.place(i)];
  } else {
#pragma unroll
    for (int i = 0; i < P::kItems; ++i) {
      part.keys[i] = part.place(i) < part.here ? tile[part.place(i)] : Bits{0};
    }
  }
  if (map_them) {
#pragma unroll
    for (int i = 0; i < P::kItems; ++i) part.keys[i] = map.Map(part.keys[i]);
  }
  if (part.whole()) return;
    // What is absent comes last, after all that has the highest digit.
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    if (part.place(i) >= part.here) part.keys[i] = static_cast<Bits>(~Bits{0});
  }
}

// Starts to fetch the values of a whole tile, each warp those of its stretch.
// False where they have to be loaded one by one.
template <typename Bits, typename Value, typename P>
__device__ __forceinline__ bool FetchValues(const Value* from,
                                            const TilePart<Bits, P>& part,
                                            Value* arriving) {
  constexpr int kLanes = Vector<Value>::kLanes;
  static_assert(P::kItems % kLanes == 0);
  const Span<const Value> values = {from, part.tile_first,
                                    part.tile_first + P::kTile};
  if (from == nullptr || !part.whole() || !values.aligned()) return false;
  const int first = WarpId() * P::kItems * kWarpSize + LaneId() * kLanes;
#pragma unroll
  for (int i = 0; i < P::kItems / kLanes; ++i) {
    const int place = first + i * kWarpSize * kLanes;
    CopyVectorAsync(reinterpret_cast<Vector<Value>*>(arriving + place), values,
                    part.tile_first + place);
  }
  return true;
}

// Puts them into the places of their keys when they are there.
template <typename Bits, typename Value, typename P>
__device__ __forceinline__ void PlaceFetched(const Value* arriving,
                                             const TilePart<Bits, P>& part,
                                             Value* sorted) {
  WaitForCopies();
  __syncwarp();
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    sorted[part.places[i]] = arriving[part.place(i)];
  }
}

// Puts the values into the places of their keys. Without values to load, they
// are the positions.
template <typename Bits, typename Value, typename P>
__device__ __forceinline__ void PlaceValues(const Value* from,
                                            const TilePart<Bits, P>& part,
                                            Value* sorted) {
  Value values[P::kItems];
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const int64_t position = part.tile_first + part.place(i);
    if (from == nullptr) {
      values[i] = static_cast<Value>(position);
    } else if (part.whole() || part.place(i) < part.here) {
      values[i] = from[position];
    }
  }
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) sorted[part.places[i]] = values[i];
}

// Writes the sorted tile to where its digits go: neighbouring threads write
// neighbouring elements, as long as these have the same digit. The last pass
// maps the keys back, and its values have the type Out.
template <bool kWhole, bool kLast, typename Out, typename Bits, typename Value,
          typename P>
__device__ __forceinline__ void StoreTile(
    const PassMemory<Bits, Value, P>& memory, KeyDigit digit, int here,
    KeyMap<Bits> map) {
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    const int place = i * P::kThreads + static_cast<int>(threadIdx.x);
    if (!kWhole && place >= here) break;
    const Bits key = memory.keys[place];
    const uint32_t value_of_digit = digit(key);
    memory.keys_to[value_of_digit][place] = kLast ? map.Unmap(key) : key;
    if constexpr (kHasValues<Value>) {
      using To = std::conditional_t<kLast, Out, Value>;
      auto* const values = static_cast<To*>(memory.values_to[value_of_digit]);
      values[place] = memory.values[place];
    }
  }
}

// Sorts a tile that was drawn, and moves it to where its digits go. With
// kInTurn one thread calls `draw` for the next tile, and its counts are
// cleared: a warp may begin it when it has stored what it stores of this one.
template <bool kInTurn, typename Out, typename Bits, typename Value, typename P,
          typename F>
__device__ __forceinline__ void MoveTile(
    const SortArrays<Bits, Value>& arrays, int pass, const SortPlan& plan,
    const PassPlan& moves, TileTicket ticket, DigitStatus* statuses,
    PassMemory<Bits, Value, P>& memory, const F& draw) {
  const KeyDigit digit = moves.digit;
  const Elements<const Bits, const Value> from =
      ElementsFrom(arrays, moves.from);
  TilePart<Bits, P> part(ticket.tile, arrays.size);
  LoadKeys(from.keys, moves.from == kInput, arrays.map, part);
  bool fetched = false;
  if constexpr (kHasValues<Value> && P::kAhead) {
    fetched = FetchValues(from.values, part, memory.arriving);
  }

  uint32_t* const counts = memory.rank.counts[WarpId()];
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    atomicAdd(&counts[digit(part.keys[i])], 1u);
  }
  __syncthreads();
  // The tiles that follow are told before this one is sorted.
  DigitLookback<P::kWindow> lookback(statuses, ticket.epoch);
  const DigitOfTile of_tile =
      SumUpCounts<P::kThreads>(memory.rank, [&](uint32_t count) {
        // The last tile's count is wrong where elements are absent, but nobody
        // looks back at it.
        if (ticket.tile == 0) {
          lookback.PublishPrefix(0, count);
        } else {
          lookback.PublishAggregate(ticket.tile, count);
        }
      });
#pragma unroll
  for (int i = 0; i < P::kItems; ++i) {
    part.places[i] = TakePlace<P::kAtomic>(digit(part.keys[i]), counts);
    memory.keys[part.places[i]] = part.keys[i];
  }
  if constexpr (kHasValues<Value>) {
    if (fetched) {
      PlaceFetched(memory.arriving, part, memory.values);
    } else {
      PlaceValues(from.values, part, memory.values);
    }
  }
  if constexpr (kInTurn) {
    __syncwarp();
    ClearCounts(memory.rank);
    // The others look back meanwhile, if there are more threads than digits.
    if (threadIdx.x == P::kThreads - 1) draw();
  }

  if (threadIdx.x < kDigits) {
    DigitStatus before = 0;
    if (ticket.tile > 0) {
      before = lookback.ExclusivePrefix(ticket.tile);
      lookback.PublishPrefix(ticket.tile, before + of_tile.count);
    }
    const Elements<Bits, Value> to =
        moves.to == kSpare ? arrays.spare : arrays.out;
    const auto offset = static_cast<int64_t>(plan.first[pass][threadIdx.x] +
                                             before - of_tile.first);
    memory.keys_to[threadIdx.x] = to.keys + offset;
    if constexpr (kHasValues<Value>) {
      memory.values_to[threadIdx.x] = to.values + offset;
      if (moves.last) {
        memory.values_to[threadIdx.x] =
            reinterpret_cast<Out*>(to.values) + offset;
      }
    }
  }
  __syncthreads();

  if (part.whole()) {
    if (moves.last) {
      StoreTile<true, true, Out>(memory, digit, P::kTile, arrays.map);
    } else {
      StoreTile<true, false, Out>(memory, digit, P::kTile, arrays.map);
    }
  } else if (moves.last) {
    StoreTile<false, true, Out>(memory, digit, part.here, arrays.map);
  } else {
    StoreTile<false, false, Out>(memory, digit, part.here, arrays.map);
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PASS_CUH_
