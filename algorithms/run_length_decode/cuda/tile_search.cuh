// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the kernels of run_length_decode do, those of one GPU and of several:
// groups of runs are added up, their sums become places where they start, and a
// tile of the output finds its first group by search.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_TILE_SEARCH_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_TILE_SEARCH_CUH_

#include <cstdint>

#include "concord/algorithms/run_length_decode/cuda/lengths.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::run_length_decode {

inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / kWarpSize;

// Runs whose lengths are added up together; a tile scans that many at a time.
inline constexpr int kGroup = kThreads;
// Groups that a block of the first launch adds up: one for each lane of the
// warp that scans their sums.
inline constexpr int kGroupsOfBlock = kWarpSize;

// A tile of the output; six of them share a Hopper multiprocessor.
inline constexpr int kTileBytes = 32 << 10;
template <typename Word>
inline constexpr int kTileElements = kTileBytes / sizeof(Word);

// Longer runs are spread by a warp instead of a thread.
inline constexpr int kShortRun = 16;

// The sum of a group's lengths. A whole warp calls it; every lane gets the sum.
template <typename Length>
__device__ __forceinline__ int64_t SumOfGroup(const Length* lengths,
                                              int64_t runs, int64_t group) {
  const int64_t first = group * kGroup + LaneId();
  int64_t sum = 0;
#pragma unroll
  for (int i = 0; i < kGroup; i += kWarpSize) {
    sum = AddSizes()(sum, LengthOf(lengths, first + i, runs));
  }
  return WarpReduce<AddSizes>(sum);
}

// Where a block's groups start: the one of this lane, and what comes behind.
struct GroupStarts {
  int64_t mine;
  int64_t end;
};

// Of blocks in the order of their tickets, each with the sums of kGroupsOfBlock
// groups, one for each lane. A whole warp calls it.
__device__ __forceinline__ GroupStarts FindStarts(int64_t sum_of_lane,
                                                  TileTicket ticket,
                                                  StatusWord* statuses) {
  int64_t scanned[1] = {sum_of_lane};
  WarpInclusiveScan<AddSizes>(scanned);
  const int64_t total = ShuffleFrom(scanned[0], kWarpSize - 1);
  const int64_t before_mine = ShiftIn<AddSizes>(scanned[0]);
  Lookback<int64_t> lookback(statuses, ticket.epoch);
  int64_t before = 0;
  if (ticket.tile > 0) {
    if (LaneId() == 0) lookback.PublishAggregate(ticket.tile, total);
    before = lookback.template ExclusivePrefix<AddSizes>(ticket.tile);
  }
  const int64_t end = AddSizes()(before, total);
  if (LaneId() == 0) lookback.PublishPrefix(ticket.tile, end);
  return {AddSizes()(before, before_mine), end};
}

// The last group that starts at or before `position`; the first one starts at
// 0. A whole warp calls it.
__device__ inline int64_t FindGroup(const int64_t* starts, int64_t groups,
                                    int64_t position) {
  int64_t low = 0;  // starts[low] <= position
  int64_t high = groups;
  while (high - low > 1) {
    // Each lane looks at the end of one of 32 equal parts.
    const int64_t step = (high - low + kWarpSize - 1) / kWarpSize;
    const int64_t mine = low + step * (LaneId() + 1);
    const bool before = mine < high && starts[mine] <= position;
    const int parts = __popc(__ballot_sync(kWholeWarp, before));
    high = min(high, low + step * (parts + 1));
    low += step * parts;
  }
  return low;
}

// A run's part of a tile.
template <typename Word>
struct Piece {
  uint16_t first;
  uint16_t last;
  Word value;
};
static_assert(kTileBytes < 1 << 16);

// Where most runs are short a thread takes several at a time.
inline constexpr int kMostItems = 4;

template <typename Word>
struct TileState {
  int64_t group;
  int64_t warp_sums[kWarps];
  // Set by the thread whose run covers the whole tile.
  bool is_one_run;
  Word value;
  int long_pieces;
  Piece<Word> pieces[kTileElements<Word> / kShortRun];
};

// A run of this length reaches the end of any output. A tile takes longer ones
// for no longer, so that it can add up all the runs it scans at a time.
inline constexpr int64_t kLongestRun = int64_t{1} << 52;

// The runs of a thread.
template <typename Word, int kItems>
struct RunsOfThread {
  int64_t length[kItems];
  Word value[kItems];

  template <typename Length>
  __device__ __forceinline__ void Load(const Word* values,
                                       const Length* lengths, int64_t first,
                                       int64_t runs) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      length[i] = LengthOf(lengths, first + i, runs);
      if (sizeof(Length) == 8) length[i] = min(length[i], kLongestRun);
      value[i] = first + i < runs ? values[first + i] : Word{0};
    }
  }
};

// Spreads the runs over elements [begin, end) of a tile. The tile's group
// starts at its element `group_begin`, at or before `begin`. Returns whether
// one run covers all, and then spreads nothing.
template <int kItems, typename Word, typename Length>
__device__ bool SpreadRuns(const Word* values, const Length* lengths,
                           int64_t runs, int64_t group_begin, int begin,
                           int end, TileState<Word>& state, Word* tile) {
  int64_t run = state.group * kGroup + threadIdx.x * kItems;
  RunsOfThread<Word, kItems> mine;
  mine.Load(values, lengths, run, runs);
  for (;;) {
    int64_t sum = 0;
#pragma unroll
    for (const int64_t length : mine.length) sum += length;
    int64_t ends[1] = {sum};
    WarpInclusiveScan<Add<int64_t>>(ends);
    if (LaneId() == kWarpSize - 1) state.warp_sums[WarpId()] = ends[0];
    if (threadIdx.x == 0) {
      state.is_one_run = false;
      state.long_pieces = 0;
    }
    __syncthreads();
    int64_t position = group_begin + ends[0] - sum;
    int64_t next = group_begin;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      position += w < WarpId() ? state.warp_sums[w] : 0;
      next += state.warp_sums[w];
    }
    const RunsOfThread<Word, kItems> now = mine;
    run += kItems * kThreads;
    // Under way while these are spread.
    if (next < end) mine.Load(values, lengths, run, runs);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int64_t from = max(position, int64_t{begin});
      position += now.length[i];
      const int64_t to = min(position, int64_t{end});
      if (from >= to) continue;
      if (to - from == end - begin) {
        state.is_one_run = true;
        state.value = now.value[i];
      } else if (to - from <= kShortRun) {
        for (int64_t k = from; k < to; ++k) tile[k] = now.value[i];
      } else {
        state.pieces[atomicAdd(&state.long_pieces, 1)] = {
            static_cast<uint16_t>(from), static_cast<uint16_t>(to),
            now.value[i]};
      }
    }
    __syncthreads();
    if (state.is_one_run) return true;
    for (int p = WarpId(); p < state.long_pieces; p += kWarps) {
      const Piece<Word> piece = state.pieces[p];
      FillByWarp(tile + piece.first, piece.last - piece.first, piece.value);
    }
    __syncthreads();
    if (next >= end) return false;
    group_begin = next;
  }
}

// Writes a tile of the output; a whole block calls it, once, with kTileBytes of
// shared memory.
template <typename Word, typename Length>
__device__ __forceinline__ void WriteTile(int64_t number, const Word* values,
                                          const Length* lengths, int64_t runs,
                                          const int64_t* starts,
                                          const int64_t* size, Span<Word> out) {
  __shared__ TileState<Word> state;
  extern __shared__ uint4 tile_memory[];
  auto* const tile = reinterpret_cast<Vector<Word>*>(tile_memory);
  constexpr int kVectors = kTileBytes / kVectorBytes;
  constexpr int kLanes = Vector<Word>::kLanes;

  const int64_t tile_first = number * int64_t{kTileElements<Word>};
  // Results end where the runs do, or the room.
  out.end = out.begin + min(out.end - out.begin, *size);
  const int64_t first = max(tile_first, out.begin);
  const int64_t last = min(tile_first + kTileElements<Word>, out.end);
  if (first >= last) return;
  if (WarpId() == 0) {
    const int64_t group =
        FindGroup(starts, (runs + kGroup - 1) / kGroup, first - out.begin);
    if (LaneId() == 0) state.group = group;
  }
  __syncthreads();
  const int64_t group_begin = starts[state.group] + out.begin - tile_first;
  const auto begin = static_cast<int>(first - tile_first);
  const auto end = static_cast<int>(last - tile_first);
  auto* const elements = reinterpret_cast<Word*>(tile);
  // Whether one or two groups can be expected to fill the tile.
  const bool runs_are_long =
      (state.group + 1) * kGroup >= runs ||
      starts[state.group + 1] - starts[state.group] >= kTileElements<Word> / 2;
  const bool is_one_run =
      runs_are_long ? SpreadRuns<1>(values, lengths, runs, group_begin, begin,
                                    end, state, elements)
                    : SpreadRuns<kMostItems>(values, lengths, runs, group_begin,
                                             begin, end, state, elements);
  const Vector<Word> filled = Filled(is_one_run ? state.value : Word{0});
#pragma unroll 4
  for (int i = threadIdx.x; i < kVectors; i += kThreads) {
    const int64_t element = tile_first + i * kLanes;
    const Vector<Word> vector = is_one_run ? filled : tile[i];
    if (out.HoldsVectors(element, kLanes)) {
      StoreVector(out, element, vector);
    } else {
      StoreElements(out, element, vector);
    }
  }
}

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_TILE_SEARCH_CUH_
