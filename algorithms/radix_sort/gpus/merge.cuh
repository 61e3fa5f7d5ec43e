// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels with which a member makes its stretch of the output of all
// members' sorted runs: one block finds its parts of them, then each level
// merges neighbours tile by tile. The first level reads the parts where they
// are, so each element crosses a link at most once.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/gpus/merge_plan.h"
#include "concord/backends/cuda/warp.cuh"
#include "concord/backends/gpus/share.h"

namespace concord::radix_sort {

// --- Which parts of the runs ---

// A warp for each run, a lane for each value of the next bits; so for the
// beginning of the stretch, and so for its end.
static_assert(kStepValues == kWarpSize);
inline constexpr int kCutThreads = kMostRuns * kWarpSize;

template <typename Bits>
struct SortedRuns {
  const Bits* keys[kMostRuns];
  int64_t sizes[kMostRuns];
  int count;
};

// One block. Where a member gave up waiting for another one, whose run is then
// not sorted, the stretch has no parts.
template <typename Bits>
__global__ void __launch_bounds__(2 * kCutThreads)
    FindParts(const __grid_constant__ SortedRuns<Bits> runs, Stretch stretch,
              KeyRank<Bits> rank, int first_bit, int end_bit,
              const volatile uint32_t* gave_up, Parts* parts) {
  __shared__ CutSearch<Bits> searches[2];
  __shared__ StepCounts counts[2];
  const int side = threadIdx.x / kCutThreads;
  const int run = WarpId() % kMostRuns;
  const int64_t before = side == 0 ? stretch.begin : stretch.end;
  const bool leads = threadIdx.x % kCutThreads == 0;
  CutSearch<Bits>& search = searches[side];
  if (leads) search.Begin(runs.sizes, runs.count, end_bit);
  __syncthreads();
  while (search.bit > first_bit) {
    if (run < runs.count && LaneId() < 1 << search.StepWidth(first_bit)) {
      counts[side][run][LaneId()] =
          search.CountOf(runs.keys[run], run, rank, LaneId(), first_bit);
    }
    __syncthreads();
    if (leads) search.Narrow(counts[side], runs.count, before, first_bit);
    __syncthreads();
  }
  if (leads) search.TakeEqualKeys(runs.count, before);
  __syncthreads();
  if (threadIdx.x == 0) {
    *parts = *gave_up == 0
                 ? PartsBetween(searches[0].low, searches[1].low, runs.count)
                 : Parts{};
  }
}

// --- Merging ---

// What a thread merges. An odd number, so that neighbours store to different
// banks; 30 KiB of keys of 4 bytes, 44 of 8, in a block's shared memory.
inline constexpr int kMergeThreads = 512;
template <typename Bits>
inline constexpr int kMergeItems = sizeof(Bits) == 8 ? 11 : 15;
template <typename Bits>
inline constexpr int64_t kMergeTile = kMergeThreads* kMergeItems<Bits>;

inline constexpr int kTileCutThreads = 256;

// Sorted elements, from any one on.
template <typename Bits, typename Value>
struct SortedElements {
  const Bits* keys;
  const Value* values;
  // What is added to the values: where they are positions in a run, how many
  // elements of the array precede it.
  int64_t ahead;

  __device__ SortedElements From(int64_t first) const {
    SortedElements from = {keys + first, nullptr, ahead};
    if constexpr (kHasValues<Value>) from.values = values + first;
    return from;
  }
  __device__ Value ValueAt(int64_t i) const {
    return static_cast<Value>(values[i] + ahead);
  }
};

// What is merged at a level: at the first one the runs, then one array.
template <typename Bits, typename Value>
struct MergeInputs {
  SortedElements<Bits, Value> of[kMostRuns];
  int runs;
  int level;
};

// The two sides of a pair.
template <typename Bits, typename Value>
struct MergeSides {
  SortedElements<Bits, Value> a;
  SortedElements<Bits, Value> b;
  int64_t a_size;
  int64_t b_size;

  __device__ MergeSides(const MergeInputs<Bits, Value>& in, const Parts& parts,
                        const MergePair& pair)
      : a(SideOf(in, parts, pair.run, pair.begin)),
        b(a),
        a_size(pair.middle - pair.begin),
        b_size(pair.end - pair.middle) {
    // There may be no second one.
    if (b_size == 0) return;
    b = SideOf(in, parts, pair.run + (1 << (in.level - 1)), pair.middle);
  }

 private:
  // The run's part, or what the level before made of it and those behind it.
  __device__ static SortedElements<Bits, Value> SideOf(
      const MergeInputs<Bits, Value>& in, const Parts& parts, int run,
      int64_t place) {
    return in.level == 1 ? in.of[run].From(parts.first[run])
                         : in.of[0].From(place);
  }
};

// A thread for each tile: how many elements of its pair's first side precede
// it.
template <typename Bits, typename Value>
__global__ void __launch_bounds__(kTileCutThreads)
    FindTileCuts(const __grid_constant__ MergeInputs<Bits, Value> in,
                 const Parts* parts, KeyRank<Bits> rank, int64_t* cuts) {
  const int64_t number = int64_t{blockIdx.x} * kTileCutThreads + threadIdx.x;
  const MergeTile tile =
      TileOf(*parts, in.runs, in.level, number, kMergeTile<Bits>);
  if (tile.count == 0) return;
  const MergeSides<Bits, Value> sides(in, *parts, tile.pair);
  cuts[number] = MergePath(sides.a.keys, sides.a_size, sides.b.keys,
                           sides.b_size, tile.first, rank);
}

// A tile's elements: `a_count` of the first side, then those of the second.
template <typename Bits, typename Value>
struct TileElements {
  SortedElements<Bits, Value> a;
  SortedElements<Bits, Value> b;
  int a_count;
  int count;

  // `cut`: how many of the first side's precede the tile, and then the next.
  __device__ TileElements(const MergeSides<Bits, Value>& sides,
                          const MergeTile& tile, const int64_t* cut)
      : a(sides.a.From(cut[0])),
        b(sides.b.From(tile.first - cut[0])),
        count(static_cast<int>(tile.count)) {
    const int64_t end = tile.first + tile.count;
    const bool is_last = end == sides.a_size + sides.b_size;
    a_count = static_cast<int>((is_last ? sides.a_size : cut[1]) - cut[0]);
  }

  __device__ Bits KeyAt(int i) const {
    return i < a_count ? a.keys[i] : b.keys[i - a_count];
  }
  __device__ Value ValueAt(int i) const {
    return i < a_count ? a.ValueAt(i) : b.ValueAt(i - a_count);
  }
};

// The keys of a tile, then where its elements stood before they were merged.
template <typename Bits>
union MergeMemory {
  Bits keys[kMergeTile<Bits>];
  uint16_t places[kMergeTile<Bits>];
};

// A block for each tile. Members begin with different ones, `first_tile`, so
// that not all of them read from the same other one.
template <typename Bits, typename Value>
__global__ void __launch_bounds__(kMergeThreads)
    MergeTiles(const __grid_constant__ MergeInputs<Bits, Value> in,
               Elements<Bits, Value> out, const Parts* parts,
               KeyRank<Bits> rank, const int64_t* cuts, int64_t first_tile) {
  constexpr int kItems = kMergeItems<Bits>;
  __shared__ MergeMemory<Bits> memory;
  const int64_t tiles =
      TilesOfLevel(*parts, in.runs, in.level, kMergeTile<Bits>);
  if (blockIdx.x >= tiles) return;
  // As a division would have it, which takes longer than these few rounds.
  int64_t number = blockIdx.x + first_tile;
  while (number >= tiles) number -= tiles;
  const MergeTile tile =
      TileOf(*parts, in.runs, in.level, number, kMergeTile<Bits>);
  const TileElements<Bits, Value> elements(
      MergeSides<Bits, Value>(in, *parts, tile.pair), tile, cuts + number);
  const int thread = static_cast<int>(threadIdx.x);

  // All loads are under way before the first key is stored.
  Bits keys[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int at = i * kMergeThreads + thread;
    if (at < elements.count) keys[i] = elements.KeyAt(at);
  }
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int at = i * kMergeThreads + thread;
    if (at < elements.count) memory.keys[at] = keys[i];
  }
  __syncthreads();

  const int first = min(thread * kItems, elements.count);
  const int mine = min(kItems, elements.count - first);
  MergeCursor cursor =
      CursorAt(memory.keys, elements.a_count, elements.count, first, rank);
  uint16_t places[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (i >= mine) break;
    const int place = cursor.Next(memory.keys, rank);
    keys[i] = memory.keys[place];
    places[i] = static_cast<uint16_t>(place);
  }
  __syncthreads();

#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (i < mine) memory.keys[first + i] = keys[i];
  }
  __syncthreads();
  const int64_t to = tile.pair.begin + tile.first;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int at = i * kMergeThreads + thread;
    if (at < elements.count) out.keys[to + at] = memory.keys[at];
  }
  if constexpr (kHasValues<Value>) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (i < mine) memory.places[first + i] = places[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int at = i * kMergeThreads + thread;
      if (at < elements.count) {
        out.values[to + at] = elements.ValueAt(memory.places[at]);
      }
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_MERGE_CUH_
