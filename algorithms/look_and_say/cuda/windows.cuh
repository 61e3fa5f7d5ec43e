// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes blocks side by side, by a warp: in windows of one vector for each
// lane. Most windows are of one block, so that all lanes shift what they read
// by the same number of bytes.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_WINDOWS_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_WINDOWS_CUH_

#include <cstdint>

#include "concord/algorithms/look_and_say/cuda/lists.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::look_and_say {

using AtomBytes = Vector<uint8_t>;

// What a warp stores at once: a vector by each lane.
inline constexpr int32_t kWindowBytes = kWarpSize * kVectorBytes;

// The 16 bytes at table[at], of which nothing outside the aligned vectors that
// hold the first one and the one behind the last is read.
__device__ __forceinline__ AtomBytes LoadUnaligned(const uint8_t* table,
                                                   int32_t at) {
  const int32_t shift = at & (kVectorBytes - 1);
  const auto* const aligned =
      reinterpret_cast<const uint4*>(table + at - shift);
  const uint4 low = aligned[0];
  const uint4 high = aligned[1];
  uint32_t words[8] = {low.x,  low.y,  low.z,  low.w,
                       high.x, high.y, high.z, high.w};
  // Moves words down by as many places as the shift has whole words.
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) words[i] = words[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) words[i] = words[i + 1];
  }
  const uint32_t bits = shift % 4 * 8;
  AtomBytes result;
#pragma unroll
  for (int i = 0; i < AtomBytes::kWords; ++i) {
    result.word[i] = __funnelshift_r(words[i], words[i + 1], bits);
  }
  return result;
}

// The block that a warp is at, which one of its lanes has: digits
// [start, border), those at table[source + start] and so on.
struct BlockCursor {
  int lane;
  int32_t start;
  int32_t source;
  int32_t border;

  __device__ __forceinline__ BlockCursor(const LaneBlock& mine, int at)
      : lane(at),
        start(ShuffleFrom(mine.start, at)),
        source(ShuffleFrom(mine.source, at)),
        border(at < kWarpSize - 1 ? ShuffleFrom(mine.start, at + 1)
                                  : INT32_MAX) {}
};

// Writes the windows from `window` on that lie wholly before `end`, all of one
// block, whose digits are those from table[source] on. Returns the next one.
__device__ __forceinline__ int32_t CopyWindows(const uint8_t* table,
                                               int32_t source, uint8_t* to,
                                               int32_t window, int32_t end) {
  const int32_t shift = source & (kVectorBytes - 1);
  const int32_t lane = LaneId() * kVectorBytes;
#pragma unroll 2
  for (; window + kWindowBytes <= end; window += kWindowBytes) {
    const int32_t i = window + lane;
    // What the compiler does not know: i is a multiple of 16.
    StoreToGo(to + i, LoadUnaligned(table + (source - shift + i), shift));
  }
  return window;
}

// This lane's vector of a window with borders, to the last of which the cursor
// moves on. A vector that has a border is put together in `joined`, byte by
// byte. Vectors from `count` on are not read.
__device__ __forceinline__ AtomBytes JoinBlocks(const uint8_t* table,
                                                const LaneBlock& mine,
                                                BlockCursor& cursor,
                                                AtomBytes& joined,
                                                int32_t window, int32_t count) {
  const int32_t i = window + LaneId() * kVectorBytes;
  int32_t source = cursor.source;
  bool has_border = false;
  AtomBytes digits = {};
  while (cursor.border < window + kWindowBytes) {
    const BlockCursor left = cursor;
    cursor = BlockCursor(mine, left.lane + 1);
    if (left.border <= i) source = cursor.source;
    const int32_t vector = left.border / kVectorBytes * kVectorBytes;
    if (vector == left.border) continue;
    // Before the left block are those bytes that an earlier border has brought.
    const int32_t byte = vector + LaneId();
    if (LaneId() < kVectorBytes && byte >= left.start) {
      const int32_t from = byte < left.border ? left.source : cursor.source;
      reinterpret_cast<uint8_t*>(&joined)[LaneId()] = table[from + byte];
    }
    __syncwarp();
    if (i == vector) {
      digits = joined;
      has_border = true;
    }
    __syncwarp();
  }
  if (!has_border && i < count) digits = LoadUnaligned(table, source + i);
  return digits;
}

// Writes `count` bytes from out[first] on, by the blocks of the lanes from that
// of `lane` on.
__device__ __forceinline__ void WriteBlocks(const uint8_t* table,
                                            const LaneBlock& mine, int lane,
                                            AtomBytes& joined,
                                            const Span<uint8_t>& out,
                                            int64_t first, int32_t count) {
  const bool whole = out.HoldsVectors(first, RoundUpToVector<uint8_t>(count));
  BlockCursor cursor(mine, lane);
  int32_t window = 0;
  for (;;) {
    if (whole) {
      window = CopyWindows(table, cursor.source, out.base + first, window,
                           min(cursor.border, count));
    }
    if (window >= count) break;
    const AtomBytes digits =
        JoinBlocks(table, mine, cursor, joined, window, count);
    const int32_t i = window + LaneId() * kVectorBytes;
    if (i < count) {
      if (whole || out.HoldsVectors(first + i, kVectorBytes)) {
        StoreToGo(out.base + first + i, digits);
      } else {
        StoreElements(out, first + i, digits);
      }
    }
    window += kWindowBytes;
  }
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_WINDOWS_CUH_
