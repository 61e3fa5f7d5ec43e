// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sums, products and minima of the four bytes of a word, and their scans.
//
// Sums go by one dot product each (dp4a). Sums and products are modulo 256: the
// upper bits of the results mean nothing.
//
// Minima are unsigned and go by pairs of 16-bit numbers (one instruction on
// Hopper) whose upper halves are the bytes: those decide alone, and the lower
// halves mean nothing.

#ifndef CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_
#define CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_

#include <cstdint>

namespace concord {

// sum + the four bytes of `word`.
__device__ __forceinline__ uint32_t SumBytes(uint32_t word, uint32_t sum) {
  return __dp4a(word, 0x01010101u, sum);
}

// product * the four bytes of `word`.
__device__ __forceinline__ uint32_t MultiplyBytes(uint32_t word,
                                                  uint32_t product) {
  return product * word * (word >> 8) * (word >> 16) * (word >> 24);
}

// The low bytes of a, b, c and d, that of `a` lowest.
__device__ __forceinline__ uint32_t PackBytes(uint32_t a, uint32_t b,
                                              uint32_t c, uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040),
                     0x5410);
}

// The results of a scan from the inclusive ones of a word: exclusive ones are
// the byte before them and the first three of them.
__device__ __forceinline__ uint32_t ShiftInByte(uint32_t scanned,
                                                uint32_t before,
                                                bool inclusive) {
  return __byte_perm(scanned, before, inclusive ? 0x3210 : 0x2104);
}

// The prefix sums of the four bytes, with `sum` before them, as four bytes;
// moves `sum` past them.
__device__ __forceinline__ uint32_t ScanSumBytes(uint32_t word, bool inclusive,
                                                 uint32_t& sum) {
  const uint32_t before = sum;
  const uint32_t sum1 = __dp4a(word, 0x00000001u, before);
  const uint32_t sum2 = __dp4a(word, 0x00000101u, before);
  const uint32_t sum3 = __dp4a(word, 0x00010101u, before);
  sum = __dp4a(word, 0x01010101u, before);
  return ShiftInByte(PackBytes(sum1, sum2, sum3, sum), before, inclusive);
}

// The same of products.
__device__ __forceinline__ uint32_t ScanProductBytes(uint32_t word,
                                                     bool inclusive,
                                                     uint32_t& product) {
  const uint32_t before = product;
  const uint32_t product1 = before * word;
  const uint32_t product2 = product1 * (word >> 8);
  const uint32_t product3 = product2 * (word >> 16);
  product = product3 * (word >> 24);
  return ShiftInByte(PackBytes(product1, product2, product3, product), before,
                     inclusive);
}

// A byte, the lowest of `byte`, in both numbers of a pair.
__device__ __forceinline__ uint32_t BytePair(uint32_t byte) {
  return __byte_perm(byte, 0, 0x0404);
}

// The pair of minima of `pair` and the bytes of `word`, which it meets two by
// two.
__device__ __forceinline__ uint32_t MinimumWithBytes(uint32_t word,
                                                     uint32_t pair) {
  return __vminu2(pair, __vminu2(word, word << 8));
}

// The minimum of the two bytes of a pair, as the lowest byte.
__device__ __forceinline__ uint32_t MinimumOfBytePair(uint32_t pair) {
  return min(pair << 16, pair) >> 24;
}

// The prefix minima of the four bytes, with the equal bytes of `pair` before
// them, as four bytes; moves `pair` past them.
__device__ __forceinline__ uint32_t ScanMinimumBytes(uint32_t word,
                                                     bool inclusive,
                                                     uint32_t& pair) {
  const uint32_t even = word << 8;                 // bytes 0 and 2
  const uint32_t two = __vminu2(word, even);       // of 0 and 1; of 2 and 3
  const uint32_t first_two = __vminu2(two, pair);  // in its lower number
  const uint32_t before = __byte_perm(pair, first_two, 0x5410);
  const uint32_t at_even = __vminu2(even, before);
  const uint32_t at_odd = __vminu2(two, before);
  const uint32_t scanned = __byte_perm(at_even, at_odd, 0x7351);
  const uint32_t result = ShiftInByte(scanned, pair >> 8, inclusive);
  pair = __byte_perm(at_odd, 0, 0x3232);
  return result;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_
