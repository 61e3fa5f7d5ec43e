// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Groups of buckets.h for keys of 4 bytes that come alone, compiled for each
// target of backends/tbb/simd.h. AVX-512 and AVX2 have the vectors.

#include "concord/algorithms/radix_sort/tbb/network_kernel.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

// Neighbours of the lower or the upper half of each 128 bits.
template <typename Lane>
__attribute__((always_inline)) inline Row UnpackLow(Row a, Row b) {
  if constexpr (sizeof(Lane) == 2) return _mm512_unpacklo_epi16(a, b);
  if constexpr (sizeof(Lane) == 4) return _mm512_unpacklo_epi32(a, b);
  return _mm512_unpacklo_epi64(a, b);
}
template <typename Lane>
__attribute__((always_inline)) inline Row UnpackHigh(Row a, Row b) {
  if constexpr (sizeof(Lane) == 2) return _mm512_unpackhi_epi16(a, b);
  if constexpr (sizeof(Lane) == 4) return _mm512_unpackhi_epi32(a, b);
  return _mm512_unpackhi_epi64(a, b);
}

#elif CONCORD_SIMD_BYTES == 32

template <typename Lane>
__attribute__((always_inline)) inline Row UnpackLow(Row a, Row b) {
  if constexpr (sizeof(Lane) == 2) return _mm256_unpacklo_epi16(a, b);
  if constexpr (sizeof(Lane) == 4) return _mm256_unpacklo_epi32(a, b);
  return _mm256_unpacklo_epi64(a, b);
}
template <typename Lane>
__attribute__((always_inline)) inline Row UnpackHigh(Row a, Row b) {
  if constexpr (sizeof(Lane) == 2) return _mm256_unpackhi_epi16(a, b);
  if constexpr (sizeof(Lane) == 4) return _mm256_unpackhi_epi32(a, b);
  return _mm256_unpackhi_epi64(a, b);
}

#endif

#if CONCORD_SIMD_BYTES >= 32

inline constexpr int kRestLanes = sizeof(Row) / sizeof(std::uint16_t);

// Of eight vectors of 8 lanes in each 128 bits, v[r] lane 8 q + c becomes v[c]
// lane 8 q + r.
__attribute__((always_inline)) inline void Transpose8x8(Row* v) {
  using Two = std::uint32_t;
  using Four = std::uint64_t;
  Row pairs[8];
  Row fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[i] = UnpackLow<std::uint16_t>(v[2 * i], v[2 * i + 1]);
    pairs[4 + i] = UnpackHigh<std::uint16_t>(v[2 * i], v[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    fours[i] = UnpackLow<Two>(pairs[2 * i], pairs[2 * i + 1]);
    fours[4 + i] = UnpackHigh<Two>(pairs[2 * i], pairs[2 * i + 1]);
  }
  // fours[i] has columns 4 (i / 2) and the next (fours[4 + i]: those after it)
  // of rows 4 (i % 2) and the next three.
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int hi = 0; hi < 2; ++hi) {
      const Row low = fours[4 * hi + 2 * i];
      const Row high = fours[4 * hi + 2 * i + 1];
      v[4 * i + 2 * hi] = UnpackLow<Four>(low, high);
      v[4 * i + 2 * hi + 1] = UnpackHigh<Four>(low, high);
    }
  }
}

#endif

#if CONCORD_SIMD_BYTES == 64

// Of the lanes of a row, those of buckets that have more elements than rows
// before it; all ones in the others. The counts are in lanes, too.
__attribute__((always_inline)) inline Row LoadRests(const std::uint16_t* row,
                                                    Row counts, int number) {
  const __mmask32 present =
      _mm512_cmpgt_epu16_mask(counts, _mm512_set1_epi16(number));
  return _mm512_mask_loadu_epi16(_mm512_set1_epi16(-1), present, row);
}

// Lanes 8 q to 8 q + 7 of rows[c] have the first half of bucket 8 q + c, those
// of rows[8 + c] the second.
__attribute__((always_inline)) inline void StoreRests(const Row* rows,
                                                      std::uint16_t* sorted) {
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

// How often each bucket's place was moved on, by 2^bits at a time: to `counts`,
// and as lanes of 2 bytes.
__attribute__((always_inline)) inline Row CountRests(const std::uint32_t* next,
                                                     int bits,
                                                     std::uint32_t* counts) {
  const __m512i low = _mm512_srli_epi32(_mm512_loadu_si512(next), bits);
  const __m512i high = _mm512_srli_epi32(_mm512_loadu_si512(next + 16), bits);
  _mm512_store_si512(counts, low);
  _mm512_store_si512(counts + 16, high);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                            _mm512_cvtepi32_epi16(high), 1);
}

// High bits of keys, in all lanes of 4 bytes.
__attribute__((always_inline)) inline Row HighBits(std::uint32_t bits) {
  return _mm512_set1_epi32(static_cast<int>(bits));
}
__attribute__((always_inline)) inline Row AddHighBits(Row a, Row b) {
  return _mm512_add_epi32(a, b);
}

// Writes the 16 rests of a bucket as keys.
__attribute__((always_inline)) inline void StoreKeys(const std::uint16_t* rests,
                                                     Row high_bits,
                                                     std::uint32_t* out) {
  const __m512i keys = _mm512_cvtepu16_epi32(
      _mm256_load_si256(reinterpret_cast<const __m256i*>(rests)));
  _mm512_storeu_si512(out, _mm512_or_si512(high_bits, keys));
}

#elif CONCORD_SIMD_BYTES == 32

__attribute__((always_inline)) inline Row LoadRests(const std::uint16_t* row,
                                                    Row counts, int number) {
  const Row absent = _mm256_cmpgt_epi16(
      _mm256_set1_epi16(static_cast<short>(number + 1)), counts);
  return _mm256_or_si256(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)), absent);
}

__attribute__((always_inline)) inline void StoreRests(const Row* rows,
                                                      std::uint16_t* sorted) {
  auto* const buckets = reinterpret_cast<__m256i*>(sorted);
#pragma GCC unroll 8
  for (int c = 0; c < 8; ++c) {
    _mm256_store_si256(buckets + c,
                       _mm256_permute2x128_si256(rows[c], rows[8 + c], 0x20));
    _mm256_store_si256(buckets + 8 + c,
                       _mm256_permute2x128_si256(rows[c], rows[8 + c], 0x31));
  }
}

__attribute__((always_inline)) inline Row CountRests(const std::uint32_t* next,
                                                     int bits,
                                                     std::uint32_t* counts) {
  const auto* const vectors = reinterpret_cast<const __m256i*>(next);
  const __m256i low = _mm256_srli_epi32(_mm256_loadu_si256(vectors), bits);
  const __m256i high = _mm256_srli_epi32(_mm256_loadu_si256(vectors + 1), bits);
  _mm256_store_si256(reinterpret_cast<__m256i*>(counts), low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(counts) + 1, high);
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
}

__attribute__((always_inline)) inline Row HighBits(std::uint32_t bits) {
  return _mm256_set1_epi32(static_cast<int>(bits));
}
__attribute__((always_inline)) inline Row AddHighBits(Row a, Row b) {
  return _mm256_add_epi32(a, b);
}

__attribute__((always_inline)) inline void StoreKeys(const std::uint16_t* rests,
                                                     Row high_bits,
                                                     std::uint32_t* out) {
  const auto* const halves = reinterpret_cast<const __m128i*>(rests);
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const __m256i keys = _mm256_cvtepu16_epi32(_mm_load_si128(halves + half));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * half),
                        _mm256_or_si256(high_bits, keys));
  }
}

#endif

#if CONCORD_SIMD_BYTES >= 32

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
    alignas(64) std::uint32_t count[kGroup];
    const Row counts = CountRests(buckets_.next + first, bits_, count);
    Row rows[kRows];
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      rows[row] = LoadRests(
          buckets_.rows + (static_cast<std::int64_t>(row) << bits_) + first,
          counts, row);
    }
    SortRows<std::uint16_t, 0, kRows>(rows);
    Transpose8x8(rows);
    Transpose8x8(rows + 8);
    alignas(64) std::uint16_t sorted[kGroup][kRows];
    StoreRests(rows, sorted[0]);
    Row high_bits = HighBits(high_bits_ | first << shift_);
    const Row step = HighBits(std::uint32_t{1} << shift_);
    for (int bucket = 0; bucket < kGroup; ++bucket) {
      // Rests have some bits of the digit too where they are shorter than 16.
      // What is stored past the last one is overwritten by the next bucket.
      StoreKeys(sorted[bucket], high_bits, out);
      out += count[bucket];
      high_bits = AddHighBits(high_bits, step);
    }
    return out;
  }

 private:
  static constexpr int kRows = Buckets<Element>::kRows;

  const Buckets<Element>& buckets_;
  const int bits_;
  const int shift_;
  const std::uint32_t high_bits_;
};

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
