// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A tile of a scan in shared memory, and how a block brings it there and writes
// what has come of it.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SCAN_TILE_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SCAN_TILE_CUH_

#include <cstdint>

#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

constexpr int kTileElements = ScanTile(sizeof(State));
// Neighbours that belong to a lane.
constexpr int kLaneElements = kTileElements / kScanThreads;
constexpr int kWarpElements = kLaneElements * kWarpSize;

constexpr int Log2(int n) { return n == 1 ? 0 : 1 + Log2(n / 2); }

// The tuples of a tile, a plane for each word, in chunks of 16 bytes. Eight
// lanes that each read or write a chunk reach all banks, whether the chunks are
// neighbours or each one the lane's own.
class TileMemory {
 public:
  __device__ explicit TileMemory(void* memory)
      : words_(static_cast<StateWord*>(memory)) {}

  // Of neighbours, `first` a multiple of so many.
  template <int kCount>
  __device__ __forceinline__ void Load(int first,
                                       State (&states)[kCount]) const {
#pragma unroll
    for (int w = 0; w < CONCORD_WORDS; ++w) {
#pragma unroll
      for (int k = 0; k < kCount; k += kVector<kCount>) {
        const Vector<kCount> vector =
            *reinterpret_cast<const Vector<kCount>*>(At(w, first + k));
#pragma unroll
        for (int e = 0; e < kVector<kCount>; ++e) {
          states[k + e].word[w] = vector.word[e];
        }
      }
    }
  }
  template <int kCount>
  __device__ __forceinline__ void Store(int first,
                                        const State (&states)[kCount]) const {
#pragma unroll
    for (int w = 0; w < CONCORD_WORDS; ++w) {
#pragma unroll
      for (int k = 0; k < kCount; k += kVector<kCount>) {
        Vector<kCount> vector;
#pragma unroll
        for (int e = 0; e < kVector<kCount>; ++e) {
          vector.word[e] = states[k + e].word[w];
        }
        *reinterpret_cast<Vector<kCount>*>(At(w, first + k)) = vector;
      }
    }
  }

 private:
  static constexpr int kChunk = 16 / sizeof(StateWord);
  template <int kCount>
  static constexpr int kVector = kCount < kChunk ? kCount : kChunk;
  template <int kCount>
  struct alignas(kVector<kCount> * sizeof(StateWord)) Vector {
    StateWord word[kVector<kCount>];
  };

  static constexpr int kLaneChunks =
      kLaneElements < kChunk ? 1 : kLaneElements / kChunk;
  static constexpr int kShift = kLaneChunks < 8 ? 3 : Log2(kLaneChunks);
  static constexpr int kMask = (kLaneChunks < 8 ? kLaneChunks : 8) - 1;

  __device__ __forceinline__ StateWord* At(int word, int element) const {
    const int chunk = element / kChunk;
    return words_ + word * kTileElements +
           (chunk ^ (chunk >> kShift & kMask)) * kChunk + element % kChunk;
  }

  StateWord* const words_;
};

// Whether the tile is read and written in groups of neighbours.
__device__ __forceinline__ bool IsInGroups(const spliced::Arguments& arguments,
                                           int64_t first) {
  return arguments.aligned != 0 && first + kTileElements <= arguments.end;
}

// Brings the warp's part of the tile, whose first element is `first`.
__device__ __forceinline__ void FetchTile(const TileMemory& tile, int64_t first,
                                          const spliced::Arguments& arguments) {
  const int of_warp = WarpId() * kWarpElements;
  if (IsInGroups(arguments, first)) {
    constexpr int kGroups = kLaneElements / CONCORD_GROUP;
    const int of_lane = of_warp + LaneId() * CONCORD_GROUP;
    State groups[kGroups][CONCORD_GROUP];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      BeginGroup(groups[g], first + of_lane + g * kWarpSize * CONCORD_GROUP);
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      tile.Store(of_lane + g * kWarpSize * CONCORD_GROUP, groups[g]);
    }
    return;
  }
  // So many are read before the first is put away. Behind the last element it
  // is that again, which nothing comes of.
  constexpr int kBatch = kLaneElements < 8 ? kLaneElements : 8;
#pragma unroll 1
  for (int row = 0; row < kLaneElements; row += kBatch) {
    const int of_lane = of_warp + row * kWarpSize + LaneId();
    State states[kBatch][1];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int64_t element = first + of_lane + k * kWarpSize;
      states[k][0] = BegunWith(min(element, arguments.end - 1));
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      tile.Store(of_lane + k * kWarpSize, states[k]);
    }
  }
}

// Writes the results that stand in the warp's part of the tile.
__device__ __forceinline__ void WriteTile(const TileMemory& tile, int64_t first,
                                          const spliced::Arguments& arguments) {
  const int of_warp = WarpId() * kWarpElements;
  if (IsInGroups(arguments, first)) {
    constexpr int kGroups = kLaneElements / CONCORD_GROUP;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const int group = of_warp + (g * kWarpSize + LaneId()) * CONCORD_GROUP;
      State states[CONCORD_GROUP];
      tile.Load(group, states);
      StoreGroup(states, first + group);
    }
    return;
  }
#pragma unroll 1
  for (int row = 0; row < kLaneElements; ++row) {
    const int element = of_warp + row * kWarpSize + LaneId();
    State states[1];
    tile.Load(element, states);
    if (first + element < arguments.end) StoreAt(states[0], first + element);
  }
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SCAN_TILE_CUH_
