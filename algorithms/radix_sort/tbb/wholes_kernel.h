// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Groups of buckets.h for elements of 8 and 16 bytes, compiled for each target
// of backends/tbb/simd.h: by AVX-512. wholes_avx2_kernel.h has the same by
// AVX2.

#include "concord/algorithms/radix_sort/tbb/rests_kernel.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

// Of eight vectors, v[r] lane c becomes v[c] lane r.
__attribute__((always_inline)) inline void Transpose8x8Wide(__m512i* v) {
  __m512i pairs[8];
  __m512i fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
  }
  // pairs[2 i + odd] has columns odd, odd + 2, ... of rows 2 i, 2 i + 1.
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
#pragma GCC unroll 2
    for (int odd = 0; odd < 2; ++odd) {
      const __m512i upper = pairs[4 * half + odd];
      const __m512i lower = pairs[4 * half + 2 + odd];
      fours[4 * half + odd] = _mm512_permutex2var_epi64(
          upper, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), lower);
      fours[4 * half + 2 + odd] = _mm512_permutex2var_epi64(
          upper, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), lower);
    }
  }
  // fours[4 half + c] has columns c and c + 4 of rows 4 half to 4 half + 3.
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    v[c] = _mm512_shuffle_i64x2(fours[c], fours[4 + c], 0x44);
    v[4 + c] = _mm512_shuffle_i64x2(fours[c], fours[4 + c], 0xee);
  }
}

// What SortInBuckets does with a group of buckets of elements of 8 or 16 bytes.
// Where equal keys have to keep their order (kOrdered), the number of its row
// stands below the bits of a key while the network sorts: there is room, as the
// elements of a bucket share more high bits of their keys than that takes.
template <typename T, bool kOrdered>
class WholeGroups {
 public:
  using Element = T;
  static constexpr int kGroup = 8;

  // All keys agree with `like` in the bits from `to` on.
  WholeGroups(const Buckets<Element>& buckets, const Element& like, int to,
              int bits)
      : buckets_(buckets),
        bits_(bits),
        shift_(to - bits),
        high_bits_(to == 64 ? 0 : KeyBits(like) >> to << to),
        key_bits_(_mm512_set1_epi64(
            static_cast<long long>(BitRange(kPacked ? 32 : 0, to - bits)))) {}

  // Writes the elements of the buckets [first, first + kGroup) to `out`, and
  // anything to the kRows places behind them. Returns the elements' end.
  Element* Sort(std::uint32_t first, Element* out) const {
    const __m512i counts = _mm512_cvtepu32_epi64(_mm256_srli_epi32(
        _mm256_loadu_si256(
            reinterpret_cast<const __m256i*>(buckets_.next + first)),
        bits_));
    alignas(64) std::uint64_t count[kGroup];
    _mm512_store_si512(count, counts);
    __m512i rows[kRows];
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const __mmask8 present =
          _mm512_cmpgt_epu64_mask(counts, _mm512_set1_epi64(row));
      const __m512i lanes = Mark(
          _mm512_loadu_si512(buckets_.rows +
                             (static_cast<std::int64_t>(row) << bits_) + first),
          row);
      rows[row] = _mm512_mask_mov_epi64(_mm512_set1_epi64(-1), present, lanes);
    }
    SortRows<std::uint64_t, 0, kRows>(rows);
    Transpose8x8Wide(rows);
    Transpose8x8Wide(rows + 8);
#pragma GCC unroll 8
    for (int bucket = 0; bucket < kGroup; ++bucket) {
      // What is stored past the last one is overwritten by the next bucket.
      Store(rows[bucket], first + bucket, count[bucket], 0, out);
      Store(rows[8 + bucket], first + bucket, count[bucket], 8, out + 8);
      out += count[bucket];
    }
    return out;
  }

 private:
  static constexpr int kRows = Buckets<Element>::kRows;
  static constexpr int kMarkBits = 4;
  static constexpr bool kPacked = kOrdered && !Buckets<Element>::kPairs;

  static __m512i ValueBits() { return _mm512_set1_epi64(0xffffffff); }

  // Ternary functions: bits of the second where the first has ones, else of the
  // third; bits of the first and the second, or the third.
  static constexpr int kSelect = 0xca;
  static constexpr int kAndOr = 0xea;

  static __m512i Mark(__m512i lanes, int row) {
    if constexpr (!kOrdered) return lanes;
    if constexpr (kPacked) {
      const __m512i mark = _mm512_set1_epi64(static_cast<long long>(row) << 32);
      const __m512i keys =
          _mm512_slli_epi64(_mm512_andnot_si512(ValueBits(), lanes), kMarkBits);
      return _mm512_or_si512(
          mark, _mm512_ternarylogic_epi64(lanes, ValueBits(), keys, kAndOr));
    }
    return _mm512_or_si512(_mm512_slli_epi64(lanes, kMarkBits),
                           _mm512_set1_epi64(row));
  }

  // Writes what the lanes hold, some of a bucket in order, to out[0, 8): those
  // from `from` on, of which there are fewer if the bucket has too few.
  void Store(__m512i lanes, std::uint32_t bucket, std::uint64_t count, int from,
             Element* out) const {
    if constexpr (!kOrdered) {
      _mm512_storeu_si512(out, lanes);
    } else {
      const __m512i high = _mm512_set1_epi64(static_cast<long long>(
          high_bits_ | static_cast<std::uint64_t>(bucket) << shift_));
      const __m512i unmarked = _mm512_srli_epi64(lanes, kMarkBits);
      if constexpr (kPacked) {
        const __m512i rest =
            _mm512_ternarylogic_epi64(lanes, ValueBits(), high, kAndOr);
        _mm512_storeu_si512(
            out, _mm512_ternarylogic_epi64(key_bits_, unmarked, rest, kSelect));
      } else {
        const __m512i keys =
            _mm512_ternarylogic_epi64(key_bits_, unmarked, high, kSelect);
        StorePairs(keys, ValuesOf(lanes, bucket, count, from), out);
      }
    }
  }

  __m512i ValuesOf(__m512i lanes, std::uint32_t bucket, std::uint64_t count,
                   int from) const {
    const __m512i rows =
        _mm512_and_si512(lanes, _mm512_set1_epi64((1 << kMarkBits) - 1));
    const __m512i places = _mm512_add_epi64(_mm512_slli_epi64(rows, bits_),
                                            _mm512_set1_epi64(bucket));
    const auto present =
        static_cast<__mmask8>(((std::uint32_t{1} << count) - 1) >> from);
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), present, places,
                                       buckets_.values, 8);
  }

  static void StorePairs(__m512i keys, __m512i values, Element* out) {
    _mm512_storeu_si512(
        out, _mm512_permutex2var_epi64(
                 keys, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), values));
    _mm512_storeu_si512(
        out + 4,
        _mm512_permutex2var_epi64(
            keys, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), values));
  }

  const Buckets<Element>& buckets_;
  const int bits_;
  const int shift_;
  const std::uint64_t high_bits_;
  // Those of a key that differ within a bucket.
  const __m512i key_bits_;
};

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
