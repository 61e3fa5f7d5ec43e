// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of match_parens/cuda/fused and, with a share of the tiles for
// each GPU, of match_parens/gpus/fused, for one kind of brackets: the first
// leaves what each tile of 32 rows (byte_tiles.cuh) does to the depth, in a
// word; the second, a single block, goes through these words, and if there is a
// fault, through the one tile that has it.

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KERNEL_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KERNEL_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/match_parens/cuda/row.cuh"
#include "concord/algorithms/match_parens/cuda/search.cuh"
#include "concord/backends/cuda/byte_tiles.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::match_parens {

struct BracketKind {
  BracketKind(uint8_t open_byte, uint8_t close_byte)
      : words{open_byte * 0x01010101u, close_byte * 0x01010101u},
        open(open_byte),
        close(close_byte) {
    while (other == open || other == close) ++other;
  }

  BracketWords words;
  uint8_t open;
  uint8_t close;
  // Stands for elements that are not there.
  uint8_t other = 0;
};

struct DepthFold {
  using Value = Depths;
  static __device__ __forceinline__ Depths Combine(const Depths& a,
                                                   const Depths& b) {
    return match_parens::Combine(a, b);
  }
};

// The depths of a tile in a word, the sum in the upper half.
static_assert(kByteTileBytes < 1 << 15);
__device__ __forceinline__ uint32_t Pack(const Depths& depths) {
  return static_cast<uint32_t>(depths.sum) << 16 |
         (static_cast<uint32_t>(depths.lowest) & 0xffffu);
}
__device__ __forceinline__ Depths Unpack(uint32_t packed) {
  return {static_cast<int16_t>(packed >> 16),
          static_cast<int16_t>(packed & 0xffffu)};
}

// Leaves what the tile, if it is one, does to the depth. A whole warp calls it.
__device__ __forceinline__ void SumDepths(const BracketKind& kind,
                                          Span<const uint8_t> in, int64_t tile,
                                          uint32_t* tiles) {
  if (tile * kByteTileBytes >= in.end) return;
  const Depths depths = CombineWholeWarp<DepthFold>(
      DepthsOfRow(kind.words, FetchByteRow(in, tile, kind.other)));
  if (LaneId() == 0) tiles[tile] = Pack(depths);
}

template <typename = void>
__global__ void __launch_bounds__(kByteTileThreads,
                                  kByteTileBlocksPerMultiprocessor)
    SumDepthsOfTiles(BracketKind kind, Span<const uint8_t> in,
                     uint32_t* tiles) {
  LetNextGridStart();
  WaitForGridBefore();
  SumDepths(kind, in, ByteTileOfWarp(), tiles);
}

inline constexpr int kWordsOfVector = kVectorBytes / sizeof(uint32_t);

// Bytes for the words of so many tiles, in whole vectors.
constexpr int64_t PackedBytes(int64_t tiles) {
  constexpr int64_t kWordBytes = sizeof(uint32_t);
  return (tiles * kWordBytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
}

// How many vectors of words a thread takes at once: with 8, the block has those
// of 2^28 elements; with 1, those of 2^25, and less code to run through.
inline constexpr int kManyVectors = 8;
constexpr bool NeedsManyVectors(int64_t tiles) {
  return tiles > kSearchThreads * kWordsOfVector;
}

// After SumDepthsOfTiles, in one block. It stays within both arrays whatever
// the words are.
template <int kVectors>
__global__ void __launch_bounds__(kSearchThreads)
    FindFaultInTiles(BracketKind kind, Span<const uint8_t> in,
                     const uint32_t* tiles, int64_t* fault) {
  using WordStretches = Stretches<kVectors>;
  constexpr int kAtOnce = kSearchThreads * kVectors * kWordsOfVector;
  __shared__ int64_t tile;
  __shared__ int64_t tile_depth;
  LetNextGridStart();
  WaitForGridBefore();
  const int64_t count = ByteTilesOf(in);
  FaultSearch search{false};
  int64_t first = 0, depth = 0;
  // Where the last words begin that go down to zero; the first begin there.
  int64_t last = 0, last_depth = 0;
  for (bool known = false;;) {
    uint4 words[kVectors];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      const int vector = WordStretches::First() + k * kWarpSize;
      const int64_t word = first + vector * kWordsOfVector;
      words[k] = make_uint4(0, 0, 0, 0);
      if (word < count) {
        words[k] = *reinterpret_cast<const uint4*>(tiles + word);
        // Words past the last change nothing.
        if (word + 1 >= count) words[k].y = 0;
        if (word + 2 >= count) words[k].z = 0;
        if (word + 3 >= count) words[k].w = 0;
      }
    }
    Depths depths[kVectors];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      depths[k] = Combine(Combine(Unpack(words[k].x), Unpack(words[k].y)),
                          Combine(Unpack(words[k].z), Unpack(words[k].w)));
    }
    const WordStretches stretches(depths);
    if (!known) {
      const int64_t lowest = depth + stretches.all().lowest;
      search.below = lowest < 0;
      if (!search.below) {
        if (lowest == 0) {
          last = first;
          last_depth = depth;
        }
        depth += stretches.all().sum;
        if (first + kAtOnce < count) {
          first += kAtOnce;
          continue;
        }
        if (depth == 0) {
          if (threadIdx.x == 0) *fault = -1;
          return;
        }
        known = true;
        depth = last_depth;
        if (first != last) {
          first = last;
          continue;
        }
      }
    }
    stretches.Find(search, depth, [&](int number, int64_t at) {
      // A lane for each word.
      const int64_t word = first + number * kWordsOfVector + LaneId();
      const bool there = LaneId() < kWordsOfVector && word < count;
      const int lane = search.AmongLanes(Unpack(there ? tiles[word] : 0), at);
      if (LaneId() == lane) {
        tile = word;
        tile_depth = at;
      }
    });
    break;
  }
  __syncthreads();

  // A vector of the tile for each thread.
  constexpr int kLanes = Vector<uint8_t>::kLanes;
  static_assert(kByteTileVectors <= kSearchThreads && kLanes <= kWarpSize);
  const int64_t tile_first = tile * kByteTileBytes;
  const auto step_of = [&](uint8_t element) {
    return static_cast<int>(element == kind.open) -
           static_cast<int>(element == kind.close);
  };
  Depths of_vector[1] = {{0, 0}};
  const int64_t index = tile_first + threadIdx.x * kLanes;
  if (threadIdx.x < kByteTileVectors) {
    const Vector<uint8_t> vector = in.HoldsVectors(index, kLanes)
                                       ? LoadVector(in, index)
                                       : LoadElements(in, index, kind.other);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      of_vector[0].sum += step_of(vector.lane(i));
      of_vector[0].lowest = min(of_vector[0].lowest, of_vector[0].sum);
    }
  }
  Stretches<1>(of_vector).Find(search, tile_depth, [&](int number, int64_t at) {
    // A lane for each element.
    const int64_t i = tile_first + number * kLanes + LaneId();
    const bool there = LaneId() < kLanes && i >= in.begin && i < in.end;
    const int step = there ? step_of(in.base[i]) : 0;
    const int lane = search.AmongLanes({step, min(step, 0)}, at);
    if (LaneId() == lane) *fault = i - in.begin;
  });
}

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KERNEL_CUH_
