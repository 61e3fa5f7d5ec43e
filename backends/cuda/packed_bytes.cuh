// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sums of the four bytes of a word by one dot product each (dp4a). Everything
// is modulo 256: the upper bits of the sums mean nothing.

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

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PACKED_BYTES_CUH_
