// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting networks for the rows of buckets.h, compiled for each target of
// backends/tbb/simd.h. AVX-512 and AVX2 have the vectors.

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

using Row = __m512i;

// Orders two rows, lane by lane.
template <typename Lane>
__attribute__((always_inline)) inline void OrderRows(Row& a, Row& b) {
  const Row low = a;
  if constexpr (sizeof(Lane) == 2) {
    a = _mm512_min_epu16(low, b);
    b = _mm512_max_epu16(low, b);
  } else {
    a = _mm512_min_epu64(low, b);
    b = _mm512_max_epu64(low, b);
  }
}

#elif CONCORD_SIMD_BYTES == 32

using Row = __m256i;

// Lanes of 8 bytes are signed: there is no other comparison of them.
template <typename Lane>
__attribute__((always_inline)) inline void OrderRows(Row& a, Row& b) {
  const Row low = a;
  if constexpr (sizeof(Lane) == 2) {
    a = _mm256_min_epu16(low, b);
    b = _mm256_max_epu16(low, b);
  } else {
    const Row swap = _mm256_cmpgt_epi64(low, b);
    a = _mm256_blendv_epi8(low, b, swap);
    b = _mm256_blendv_epi8(b, low, swap);
  }
}

#endif

#if CONCORD_SIMD_BYTES >= 32

// K. E. Batcher, "Sorting networks and their applications" (1968): the odd-even
// merge sort of rows[kFirst, kFirst + kCount), lane by lane. Templates, so that
// all rows stay in registers.
//
// Pairs kStep apart, the first of them at kLow, kLow + 2 kStep and so on.
template <typename Lane, int kLow, int kEnd, int kStep>
__attribute__((always_inline)) inline void SortPairs(Row* rows) {
  if constexpr (kLow + kStep < kEnd) {
    OrderRows<Lane>(rows[kLow], rows[kLow + kStep]);
    SortPairs<Lane, kLow + 2 * kStep, kEnd, kStep>(rows);
  }
}
template <typename Lane, int kFirst, int kCount, int kStep>
__attribute__((always_inline)) inline void MergeRows(Row* rows) {
  if constexpr (2 * kStep < kCount) {
    MergeRows<Lane, kFirst, kCount, 2 * kStep>(rows);
    MergeRows<Lane, kFirst + kStep, kCount, 2 * kStep>(rows);
    SortPairs<Lane, kFirst + kStep, kFirst + kCount, kStep>(rows);
  } else {
    OrderRows<Lane>(rows[kFirst], rows[kFirst + kStep]);
  }
}
template <typename Lane, int kFirst, int kCount>
__attribute__((always_inline)) inline void SortRows(Row* rows) {
  if constexpr (kCount > 1) {
    SortRows<Lane, kFirst, kCount / 2>(rows);
    SortRows<Lane, kFirst + kCount / 2, kCount / 2>(rows);
    MergeRows<Lane, kFirst, kCount, 1>(rows);
  }
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
