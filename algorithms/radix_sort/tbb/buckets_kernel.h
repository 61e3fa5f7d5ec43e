// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loops of buckets.h, compiled for each target of
// backends/tbb/simd.h. Only AVX-512 has the vectors.

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

inline constexpr int kGroup = 32;  // buckets of a vector

// K. E. Batcher, "Sorting networks and their applications" (1968): the odd-even
// merge sort of rows[kFirst, kFirst + kCount), lane by lane. Templates, so that
// all rows stay in registers.
template <int kLow, int kHigh>
__attribute__((always_inline)) inline void SortPair(__m512i* rows) {
  const __m512i smaller = _mm512_min_epu16(rows[kLow], rows[kHigh]);
  rows[kHigh] = _mm512_max_epu16(rows[kLow], rows[kHigh]);
  rows[kLow] = smaller;
}
// Pairs kStep apart, the first of them at kLow, kLow + 2 kStep and so on.
template <int kLow, int kEnd, int kStep>
__attribute__((always_inline)) inline void SortPairs(__m512i* rows) {
  if constexpr (kLow + kStep < kEnd) {
    SortPair<kLow, kLow + kStep>(rows);
    SortPairs<kLow + 2 * kStep, kEnd, kStep>(rows);
  }
}
template <int kFirst, int kCount, int kStep>
__attribute__((always_inline)) inline void MergeRows(__m512i* rows) {
  if constexpr (2 * kStep < kCount) {
    MergeRows<kFirst, kCount, 2 * kStep>(rows);
    MergeRows<kFirst + kStep, kCount, 2 * kStep>(rows);
    SortPairs<kFirst + kStep, kFirst + kCount, kStep>(rows);
  } else {
    SortPair<kFirst, kFirst + kStep>(rows);
  }
}
template <int kFirst, int kCount>
__attribute__((always_inline)) inline void SortRows(__m512i* rows) {
  if constexpr (kCount > 1) {
    SortRows<kFirst, kCount / 2>(rows);
    SortRows<kFirst + kCount / 2, kCount / 2>(rows);
    MergeRows<kFirst, kCount, 1>(rows);
  }
}

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

// Sorts the buckets [first, first + kGroup), whose counts are given, and writes
// them to sorted[bucket - first], each with room for a full one.
inline void SortGroup(const KeyBuckets& buckets, std::int64_t first, int bits,
                      __m512i counts, __m512i* sorted) {
  __m512i rows[KeyBuckets::kRows];
#pragma GCC unroll 16
  for (int row = 0; row < KeyBuckets::kRows; ++row) {
    const __mmask32 present =
        _mm512_cmpgt_epu16_mask(counts, _mm512_set1_epi16(row));
    rows[row] = _mm512_mask_loadu_epi16(
        _mm512_set1_epi16(-1), present,
        buckets.rows + (static_cast<std::int64_t>(row) << bits) + first);
  }
  SortRows<0, KeyBuckets::kRows>(rows);
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

// Puts the rests of the keys into their buckets. Returns how many are in
// buckets.spilled instead, or -1 when there is no room there.
inline std::int64_t FillBuckets(const KeyPiece* pieces, std::int64_t count,
                                int bits, int shift, KeyBuckets& buckets) {
  const std::uint32_t size = std::uint32_t{1} << bits;
  const std::uint32_t end = size * KeyBuckets::kRows;
  const std::uint32_t mask = size - 1;
  for (std::uint32_t d = 0; d < size; ++d) buckets.next[d] = d;
  std::uint32_t* const next = buckets.next;
  std::uint16_t* const rows = buckets.rows;
  std::int64_t spilled = 0;
  // A bucket that is full stays so: what is beyond is spilled.
  const auto put = [&](std::uint32_t key) __attribute__((always_inline)) {
    const std::uint32_t d = key >> shift & mask;
    const std::uint32_t place = next[d];
    if (__builtin_expect(place < end, 1)) {
      rows[place] = static_cast<std::uint16_t>(key);
      next[d] = place + size;
    } else {
      if (spilled < KeyBuckets::kMostSpilled) buckets.spilled[spilled] = key;
      ++spilled;
    }
  };
  for (std::int64_t piece = 0; piece < count; ++piece) {
    const std::uint32_t* const keys = pieces[piece].keys;
    const std::int64_t n = pieces[piece].count;
    const std::uint32_t* const ahead =
        count == 1 ? keys + kKeysAhead
                   : pieces[std::min(piece + 8, count - 1)].keys;
    constexpr std::int64_t kBlock = 16;
    std::int64_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
      __builtin_prefetch(ahead + i);
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < kBlock; ++j) put(keys[i + j]);
    }
    for (; i < n; ++i) put(keys[i]);
    if (spilled > KeyBuckets::kMostSpilled) return -1;
  }
  return spilled;
}

// Sorts n keys that agree in all bits from `to` on, for which all their bits
// count: equal ones cannot be told apart, so that nothing has to be stable.
// False, and `out` is left as it was, when the keys are too few, too many or
// too crowded for that. `out` has room for kGap keys more than there are.
inline bool SortInBuckets(const KeyPiece* pieces, std::int64_t count,
                          std::int64_t n, int to, KeyBuckets& buckets,
                          std::uint32_t* out) {
  int bits = std::max(5, to - KeyBuckets::kMostRestBits);
  while (n > KeyBuckets::kMostMean << bits) ++bits;
  // Nearly empty buckets are as much work as others.
  if (bits > std::min(KeyBuckets::kMostBits, to) || n < std::int64_t{2} << bits)
    return false;
  const int shift = to - bits;
  const std::int64_t spilled = FillBuckets(pieces, count, bits, shift, buckets);
  if (spilled < 0) return false;
  std::uint32_t* const spill_end = buckets.spilled + spilled;
  std::sort(buckets.spilled, spill_end);
  const std::uint32_t* spill = buckets.spilled;

  const std::uint32_t like = pieces[0].keys[0];
  __m512i high_bits =
      _mm512_set1_epi32(static_cast<int>(to == 32 ? 0 : like >> to << to));
  const __m512i step = _mm512_set1_epi32(1 << shift);
  for (std::uint32_t first = 0; first < 1u << bits; first += kGroup) {
    // How often a bucket's place was moved on.
    const __m512i low =
        _mm512_srli_epi32(_mm512_loadu_si512(buckets.next + first), bits);
    const __m512i high =
        _mm512_srli_epi32(_mm512_loadu_si512(buckets.next + first + 16), bits);
    alignas(64) std::uint32_t counts[kGroup];
    _mm512_store_si512(counts, low);
    _mm512_store_si512(counts + 16, high);
    alignas(64) std::uint16_t sorted[kGroup][KeyBuckets::kRows];
    SortGroup(
        buckets, first, bits,
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                           _mm512_cvtepi32_epi16(high), 1),
        reinterpret_cast<__m512i*>(sorted));
    std::uint32_t* const group = out;
    for (int bucket = 0; bucket < kGroup; ++bucket) {
      const __m512i keys = _mm512_cvtepu16_epi32(
          _mm256_load_si256(reinterpret_cast<const __m256i*>(sorted[bucket])));
      // Rests have some bits of the digit too where they are shorter than 16.
      // What is stored past the last one is overwritten by the next bucket.
      _mm512_storeu_si512(out, _mm512_or_si512(high_bits, keys));
      out += counts[bucket];
      high_bits = _mm512_add_epi32(high_bits, step);
    }
    for (; spill != spill_end &&
           (*spill >> shift & ((1u << bits) - 1)) < first + kGroup;
         ++spill) {
      std::uint32_t* const place = std::upper_bound(group, out, *spill);
      std::copy_backward(place, out, out + 1);
      *place = *spill;
      ++out;
    }
  }
  return true;
}

#else

inline bool SortInBuckets(const KeyPiece*, std::int64_t, std::int64_t, int,
                          KeyBuckets&, std::uint32_t*) {
  return false;
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
