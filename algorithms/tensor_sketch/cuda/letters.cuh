// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a warp reads a block of letters of an alphabet of four and writes down,
// for all of its lanes, what counting words needs to know about each letter.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_LETTERS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_LETTERS_CUH_

#include <cstdint>

#include "concord/backends/cuda/warp.cuh"

namespace concord::tensor_sketch {

// As many letters as keep the number of letters before one of them in a byte.
inline constexpr int kBlockLetters = 256;
inline constexpr int kLaneLetters = kBlockLetters / kWarpSize;
// A block is four stretches of 64 letters, one for each of the four lanes that
// share a row of a matrix.
inline constexpr int kStretches = 4;
inline constexpr int kStretchLetters = kBlockLetters / kStretches;
// Words of four letters, and four more words that put the stretches into
// different banks.
inline constexpr int kStretchWords = kStretchLetters / 4 + 4;
// Blocks that are loaded together, so that a warp waits for memory once in so
// many blocks.
inline constexpr int kLoadBlocks = 4;

// A byte for each letter of a block.
using Plane = uint32_t[kStretches][kStretchWords];

struct BlockLetters {
  Plane is_letter[4];  // 0xFF where the letter is 0, 1, 2, 3
  Plane before[4];     // how many letters 0, 1, 2, 3 come before this one
};

using LoadedLetters = uint2[kLoadBlocks][kWarpSize];

__device__ inline uint32_t BroadcastByte(uint32_t bytes, int index) {
  return __byte_perm(bytes, 0, 0x1111 * index);
}

// Loads a few blocks, 0xFF for what lies outside of [begin, end). `block` is
// aligned for eight letters.
__device__ inline void LoadBlocks(const uint8_t* block, const uint8_t* begin,
                                  const uint8_t* end, int lane,
                                  LoadedLetters* loaded) {
  const uint8_t* at = block + kLaneLetters * lane;
  constexpr int kLast = (kLoadBlocks - 1) * kBlockLetters;
  if (at >= begin && at + kLast + kLaneLetters <= end) {
#pragma unroll
    for (int i = 0; i < kLoadBlocks; ++i) {
      (*loaded)[i][lane] =
          *reinterpret_cast<const uint2*>(at + i * kBlockLetters);
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < kLoadBlocks && block + i * kBlockLetters < end; ++i) {
    uint32_t words[2] = {0xFFFFFFFF, 0xFFFFFFFF};
#pragma unroll
    for (int k = 0; k < kLaneLetters; ++k) {
      if (at + k >= begin && at + k < end) {
        words[k / 4] ^= (0xFFu ^ at[k]) << (k % 4 * 8);
      }
    }
    (*loaded)[i][lane] = make_uint2(words[0], words[1]);
    at += kBlockLetters;
  }
}

// Spreads a block of letters, of which each lane has eight, and counts it:
// totals[4]. A byte that is no letter matches nothing.
__device__ inline void SpreadLetters(uint2 letters, int lane,
                                     BlockLetters* block, uint32_t* totals) {
  const uint32_t words[2] = {letters.x, letters.y};
  uint32_t is_letter[4][2];
  uint32_t counts[2] = {};  // one byte for each letter of the alphabet
  for (int i = 0; i < 2; ++i) {
    const uint32_t low = words[i];
    const uint32_t high = words[i] >> 1;
    const uint32_t rest = words[i] & 0xFCFCFCFC;
    // The top bit of a byte is set when the byte is no letter.
    const uint32_t invalid = ((rest & 0x7F7F7F7F) + 0x7F7F7F7F) | rest;
    const uint32_t valid = (~invalid >> 7) & 0x01010101;
    for (int letter = 0; letter < 4; ++letter) {
      is_letter[letter][i] =
          valid & (letter & 1 ? low : ~low) & (letter & 2 ? high : ~high);
      counts[i] += __dp4a(is_letter[letter][i], 0x01010101u, 0u)
                   << (8 * letter);
    }
  }
  const uint32_t own = counts[0] + counts[1];
  uint32_t sum = own;
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const uint32_t left = ShuffleUp(sum, distance);
    if (lane >= distance) sum += left;
  }
  const uint32_t before[2] = {sum - own, sum - own + counts[0]};
  const int stretch = lane / 8;
  const int word = lane % 8 * 2;
  for (int letter = 0; letter < 4; ++letter) {
    uint32_t masks[2], sums[2];
    for (int i = 0; i < 2; ++i) {
      masks[i] = is_letter[letter][i] * 0xFF;
      sums[i] =
          is_letter[letter][i] * 0x01010100 + BroadcastByte(before[i], letter);
    }
    *reinterpret_cast<uint2*>(&block->is_letter[letter][stretch][word]) =
        make_uint2(masks[0], masks[1]);
    *reinterpret_cast<uint2*>(&block->before[letter][stretch][word]) =
        make_uint2(sums[0], sums[1]);
  }
  // Added here, for 256 equal letters overflow a byte.
  const uint32_t before_last = ShuffleFrom(before[0], kWarpSize - 1);
  const uint32_t last = ShuffleFrom(own, kWarpSize - 1);
  if (lane < 4) {
    totals[lane] =
        (before_last >> (8 * lane) & 0xFF) + (last >> (8 * lane) & 0xFF);
  }
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_LETTERS_CUH_
