// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The depths of a row of one kind of brackets, by one thread.
//
// 19 elements arrive at each multiprocessor of an H200 per cycle, which does 64
// integer operations, so there are 3 for each. Four bytes are decoded at a
// time, and their prefix sums are four dot products, on units that the rest
// does not need.

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_ROW_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_ROW_CUH_

#include <cstdint>

#include "concord/backends/cuda/byte_tiles.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::match_parens {

// What a stretch of elements, shorter than 2^31, does to the depth: by how much
// it changes it, and the lowest point on the way, no higher than 0, where it
// begins.
struct Depths {
  int sum;
  int lowest;
};

__device__ __forceinline__ Depths Combine(const Depths& a, const Depths& b) {
  return {a.sum + b.sum, min(a.lowest, a.sum + b.lowest)};
}

// What is a bracket: both bytes, four times in a word.
struct BracketWords {
  uint32_t open;
  uint32_t close;
};

// 1 in each byte in which the words are equal. The sum has the top bit of each
// byte where one of the seven below it is set.
__device__ __forceinline__ uint32_t EqualBytes(uint32_t a, uint32_t b) {
  const uint32_t bits = a ^ b;
  const uint32_t differ = ((bits & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bits;
  return (~differ & 0x80808080u) >> 7;
}

// What each of the four bytes does to the depth: 1 for an opening bracket, -1
// for a closing one and 0 for all else, as signed bytes.
__device__ __forceinline__ int StepsOf(uint32_t word, BracketWords brackets) {
  return static_cast<int>(EqualBytes(word, brackets.close) * 0xffu +
                          EqualBytes(word, brackets.open));
}

__device__ __forceinline__ Depths DepthsOfRow(BracketWords brackets,
                                              const Vector<uint8_t>* row) {
  int depth = 0, lowest = 0;
#pragma unroll
  for (int v = 0; v < kByteRowVectors; ++v) {
    const Vector<uint8_t> vector = row[v];
#pragma unroll
    for (int w = 0; w < Vector<uint8_t>::kWords; ++w) {
      const int steps = StepsOf(vector.word[w], brackets);
      const int after1 = __dp4a(steps, 0x00000001, depth);
      const int after2 = __dp4a(steps, 0x00000101, depth);
      const int after3 = __dp4a(steps, 0x00010101, depth);
      depth = __dp4a(steps, 0x01010101, depth);
      lowest = __vimin3_s32(lowest, after1, after2);
      lowest = __vimin3_s32(lowest, after3, depth);
    }
  }
  return {depth, lowest};
}

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_ROW_CUH_
