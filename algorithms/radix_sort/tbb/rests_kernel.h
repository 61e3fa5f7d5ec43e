// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Groups of buckets.h for keys of 4 bytes that come alone, compiled for each
// target of backends/tbb/simd.h. Only AVX-512 has the vectors.

#include "concord/algorithms/radix_sort/tbb/network_kernel.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

inline constexpr int kRestLanes = 32;

// Of eight vectors of 4 x 8 lanes, v[r] lane 8 q + c becomes v[c] lane 8 q + r.
__attribute__((always_inline)) inline void Transpose8x8(__m512i* v) {
  __m512i pairs[8];
  __m512i fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[i] = _mm512_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
    pairs[4 + i] = _mm512_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    fours[i] = _mm512_unpacklo_epi32(pairs[2 * i], pairs[2 * i + 1]);
    fours[4 + i] = _mm512_unpackhi_epi32(pairs[2 * i], pairs[2 * i + 1]);
  }
  // fours[i] has columns 4 (i / 2) and the next (fours[4 + i]: those after it)
  // of rows 4 (i % 2) and the next three.
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int hi = 0; hi < 2; ++hi) {
      const __m512i low = fours[4 * hi + 2 * i];
      const __m512i high = fours[4 * hi + 2 * i + 1];
      v[4 * i + 2 * hi] = _mm512_unpacklo_epi64(low, high);
      v[4 * i + 2 * hi + 1] = _mm512_unpackhi_epi64(low, high);
    }
  }
}

// Sorts the buckets [first, first + kRestLanes), whose counts are given, and
// writes them to sorted[bucket - first], each with room for a full one.
inline void SortRests(const Buckets<std::uint32_t>& buckets, std::int64_t first,
                      int bits, __m512i counts, __m512i* sorted) {
  constexpr int kRows = Buckets<std::uint32_t>::kRows;
  __m512i rows[kRows];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    const __mmask32 present =
        _mm512_cmpgt_epu16_mask(counts, _mm512_set1_epi16(row));
    rows[row] = _mm512_mask_loadu_epi16(
        _mm512_set1_epi16(-1), present,
        buckets.rows + (static_cast<std::int64_t>(row) << bits) + first);
  }
  SortRows<std::uint16_t, 0, kRows>(rows);
  Transpose8x8(rows);
  Transpose8x8(rows + 8);
  // Lanes 8 q to 8 q + 7 of rows[c] have the first half of bucket 8 q + c,
  // those of rows[8 + c] the second.
  auto* const halves = reinterpret_cast<__m256i*>(sorted);
#pragma GCC unroll 8
  for (int c = 0; c < 8; ++c) {
    const __m512i low = _mm512_permutex2var_epi64(
        rows[c], _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), rows[8 + c]);
    const __m512i high = _mm512_permutex2var_epi64(
        rows[c], _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), rows[8 + c]);
    _mm256_store_si256(halves + c, _mm512_castsi512_si256(low));
    _mm256_store_si256(halves + 8 + c, _mm512_extracti64x4_epi64(low, 1));
    _mm256_store_si256(halves + 16 + c, _mm512_castsi512_si256(high));
    _mm256_store_si256(halves + 24 + c, _mm512_extracti64x4_epi64(high, 1));
  }
}

// What SortInBuckets does with a group of buckets.
class RestGroups {
 public:
  using Element = std::uint32_t;
  static constexpr int kGroup = kRestLanes;

  // All keys agree with `like` in the bits from `to` on.
  RestGroups(const Buckets<Element>& buckets, Element like, int to, int bits)
      : buckets_(buckets),
        bits_(bits),
        shift_(to - bits),
        high_bits_(to == 32 ? 0 : like >> to << to) {}

  // Writes the keys of the buckets [first, first + kGroup) to `out`, and
  // anything to the kRows places behind them. Returns the end of the keys.
  Element* Sort(std::uint32_t first, Element* out) const {
    // How often a bucket's place was moved on.
    const __m512i low =
        _mm512_srli_epi32(_mm512_loadu_si512(buckets_.next + first), bits_);
    const __m512i high = _mm512_srli_epi32(
        _mm512_loadu_si512(buckets_.next + first + 16), bits_);
    alignas(64) std::uint32_t counts[kGroup];
    _mm512_store_si512(counts, low);
    _mm512_store_si512(counts + 16, high);
    alignas(64) std::uint16_t sorted[kGroup][Buckets<Element>::kRows];
    SortRests(
        buckets_, first, bits_,
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                           _mm512_cvtepi32_epi16(high), 1),
        reinterpret_cast<__m512i*>(sorted));
    __m512i high_bits =
        _mm512_set1_epi32(static_cast<int>(high_bits_ | first << shift_));
    const __m512i step = _mm512_set1_epi32(1 << shift_);
    for (int bucket = 0; bucket < kGroup; ++bucket) {
      const __m512i keys = _mm512_cvtepu16_epi32(
          _mm256_load_si256(reinterpret_cast<const __m256i*>(sorted[bucket])));
      // Rests have some bits of the digit too where they are shorter than 16.
      // What is stored past the last one is overwritten by the next bucket.
      _mm512_storeu_si512(out, _mm512_or_si512(high_bits, keys));
      out += counts[bucket];
      high_bits = _mm512_add_epi32(high_bits, step);
    }
    return out;
  }

 private:
  const Buckets<Element>& buckets_;
  const int bits_;
  const int shift_;
  const std::uint32_t high_bits_;
};

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
