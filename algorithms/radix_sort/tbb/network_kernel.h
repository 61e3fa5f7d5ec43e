// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting networks for the rows of buckets.h, compiled for each target of
// backends/tbb/simd.h. Only AVX-512 has the vectors.

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

// K. E. Batcher, "Sorting networks and their applications" (1968): the odd-even
// merge sort of rows[kFirst, kFirst + kCount), lane by lane. Templates, so that
// all rows stay in registers.
template <typename Lane, int kLow, int kHigh>
__attribute__((always_inline)) inline void SortPair(__m512i* rows) {
  const __m512i low = rows[kLow];
  const __m512i high = rows[kHigh];
  if constexpr (sizeof(Lane) == 2) {
    rows[kLow] = _mm512_min_epu16(low, high);
    rows[kHigh] = _mm512_max_epu16(low, high);
  } else {
    rows[kLow] = _mm512_min_epu64(low, high);
    rows[kHigh] = _mm512_max_epu64(low, high);
  }
}
// Pairs kStep apart, the first of them at kLow, kLow + 2 kStep and so on.
template <typename Lane, int kLow, int kEnd, int kStep>
__attribute__((always_inline)) inline void SortPairs(__m512i* rows) {
  if constexpr (kLow + kStep < kEnd) {
    SortPair<Lane, kLow, kLow + kStep>(rows);
    SortPairs<Lane, kLow + 2 * kStep, kEnd, kStep>(rows);
  }
}
template <typename Lane, int kFirst, int kCount, int kStep>
__attribute__((always_inline)) inline void MergeRows(__m512i* rows) {
  if constexpr (2 * kStep < kCount) {
    MergeRows<Lane, kFirst, kCount, 2 * kStep>(rows);
    MergeRows<Lane, kFirst + kStep, kCount, 2 * kStep>(rows);
    SortPairs<Lane, kFirst + kStep, kFirst + kCount, kStep>(rows);
  } else {
    SortPair<Lane, kFirst, kFirst + kStep>(rows);
  }
}
template <typename Lane, int kFirst, int kCount>
__attribute__((always_inline)) inline void SortRows(__m512i* rows) {
  if constexpr (kCount > 1) {
    SortRows<Lane, kFirst, kCount / 2>(rows);
    SortRows<Lane, kFirst + kCount / 2, kCount / 2>(rows);
    MergeRows<Lane, kFirst, kCount, 1>(rows);
  }
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
