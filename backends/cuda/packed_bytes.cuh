// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The four bytes of a word at once.
//
// Sums go by one dot product each (dp4a). Everything is modulo 256: the upper
// bits of the sums mean nothing.
//
// Minima are unsigned and go by pairs of 16-bit numbers (one instruction on
// Hopper), of which a byte is the upper half: it alone decides, and the lower
// halves mean nothing.

#ifndef CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_
#define CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_

#include <cstdint>

namespace concord {

// sum + the four bytes of `word`.
__device__ __forceinline__ uint32_t SumBytes(uint32_t word, uint32_t sum) {
  return __dp4a(word, 0x01010101u, sum);
}

// The low bytes of a, b, c and d, that of `a` lowest.
__device__ __forceinline__ uint32_t PackBytes(uint32_t a, uint32_t b,
                                              uint32_t c, uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040),
                     0x5410);
}

// The prefix sums of the four bytes, with `sum` before them, as four bytes;
// moves `sum` past them.
__device__ __forceinline__ uint32_t ScanBytes(uint32_t word, bool inclusive,
                                              uint32_t& sum) {
  const uint32_t sum1 = __dp4a(word, 0x00000001u, sum);
  const uint32_t sum2 = __dp4a(word, 0x00000101u, sum);
  const uint32_t sum3 = __dp4a(word, 0x00010101u, sum);
  const uint32_t sum4 = __dp4a(word, 0x01010101u, sum);
  const uint32_t scanned = inclusive ? PackBytes(sum1, sum2, sum3, sum4)
                                     : PackBytes(sum, sum1, sum2, sum3);
  sum = sum4;
  return scanned;
}

// A byte in both 16-bit numbers of a word.
__device__ __forceinline__ uint32_t BytePair(uint8_t byte) {
  return byte * 0x01000100u;
}

__device__ __forceinline__ uint8_t LowerOfBytePair(uint32_t pair) {
  return static_cast<uint8_t>(pair >> 8);
}

// The pair of minima of `pair` and the bytes of `word`, which it meets two by
// two.
__device__ __forceinline__ uint32_t MinimumWithBytes(uint32_t word,
                                                     uint32_t pair) {
  return __vminu2(pair, __vminu2(word, word << 8));
}

// The minimum of the two bytes of a pair, as a pair.
__device__ __forceinline__ uint32_t MinimumOfBytePair(uint32_t pair) {
  return __vminu2(pair, __byte_perm(pair, 0, 0x1032));
}

// The prefix minima of the four bytes, with the equal bytes of `pair` before
// them, as four bytes; moves `pair` past them.
__device__ __forceinline__ uint32_t ScanMinimumBytes(uint32_t word,
                                                     bool inclusive,
                                                     uint32_t& pair) {
  const uint32_t even = word << 8;                 // bytes 0 and 2
  const uint32_t two = __vminu2(word, even);       // 0 and 1; 2 and 3
  const uint32_t first_two = __vminu2(two, pair);  // 0 and 1, in the lower
  const uint32_t before = __byte_perm(pair, first_two, 0x5410);
  const uint32_t at_even = __vminu2(even, before);
  const uint32_t at_odd = __vminu2(two, before);
  const uint32_t scanned = __byte_perm(at_even, at_odd, 0x7351);
  const uint32_t shifted = __byte_perm(scanned, pair, 0x2105);
  pair = __byte_perm(at_odd, 0, 0x3232);
  return inclusive ? scanned : shifted;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_
