// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What wholes_kernel.h has, by AVX2: half as many buckets at a time, and lanes
// whose highest bit is flipped, as only signed ones can be compared.

#include "concord/algorithms/radix_sort/tbb/wholes_kernel.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 32

// Of four vectors, v[r] lane c becomes v[c] lane r.
__attribute__((always_inline)) inline void Transpose4x4(Row* v) {
  const Row even[2] = {_mm256_unpacklo_epi64(v[0], v[1]),
                       _mm256_unpacklo_epi64(v[2], v[3])};
  const Row odd[2] = {_mm256_unpackhi_epi64(v[0], v[1]),
                      _mm256_unpackhi_epi64(v[2], v[3])};
  v[0] = _mm256_permute2x128_si256(even[0], even[1], 0x20);
  v[1] = _mm256_permute2x128_si256(odd[0], odd[1], 0x20);
  v[2] = _mm256_permute2x128_si256(even[0], even[1], 0x31);
  v[3] = _mm256_permute2x128_si256(odd[0], odd[1], 0x31);
}

template <typename T, bool kOrdered>
class WholeGroups {
 public:
  using Element = T;
  static constexpr int kGroup = 4;

  WholeGroups(const Buckets<Element>& buckets, const Element& like, int to,
              int bits)
      : buckets_(buckets),
        bits_(bits),
        shift_(to - bits),
        high_bits_(to == 64 ? 0 : KeyBits(like) >> to << to),
        key_bits_(All(BitRange(kPacked ? 32 : 0, to - bits))) {}

  Element* Sort(std::uint32_t first, Element* out) const {
    const __m128i counts = _mm_srli_epi32(
        _mm_loadu_si128(
            reinterpret_cast<const __m128i*>(buckets_.next + first)),
        bits_);
    alignas(16) std::uint32_t count[kGroup];
    _mm_store_si128(reinterpret_cast<__m128i*>(count), counts);
    const Row of_lane = _mm256_cvtepu32_epi64(counts);
    const Row sign = All(std::uint64_t{1} << 63);
    const Row largest = All(~std::uint64_t{0} >> 1);
    Row rows[kRows];
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const Row present = _mm256_cmpgt_epi64(of_lane, All(row));
      const Row lanes =
          Mark(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(
                   buckets_.rows + (static_cast<std::int64_t>(row) << bits_) +
                   first)),
               row);
      rows[row] =
          _mm256_blendv_epi8(largest, _mm256_xor_si256(lanes, sign), present);
    }
    SortRows<std::uint64_t, 0, kRows>(rows);
#pragma GCC unroll 4
    for (int four = 0; four < kRows; four += 4) Transpose4x4(rows + four);
#pragma GCC unroll 4
    for (int bucket = 0; bucket < kGroup; ++bucket) {
      // What is stored past the last one is overwritten by the next bucket.
#pragma GCC unroll 4
      for (int four = 0; four < kRows; four += 4) {
        Store(_mm256_xor_si256(rows[four + bucket], sign), first + bucket,
              count[bucket], four, out + four);
      }
      out += count[bucket];
    }
    return out;
  }

 private:
  static constexpr int kRows = Buckets<Element>::kRows;
  static constexpr int kMarkBits = 4;
  static constexpr bool kPacked = kOrdered && !Buckets<Element>::kPairs;

  static Row All(std::uint64_t bits) {
    return _mm256_set1_epi64x(static_cast<long long>(bits));
  }
  static Row ValueBits() { return All(0xffffffff); }

  static Row Mark(Row lanes, std::uint64_t row) {
    if constexpr (!kOrdered) return lanes;
    if constexpr (kPacked) {
      const Row keys =
          _mm256_slli_epi64(_mm256_andnot_si256(ValueBits(), lanes), kMarkBits);
      return _mm256_or_si256(_mm256_or_si256(keys, All(row << 32)),
                             _mm256_and_si256(lanes, ValueBits()));
    }
    return _mm256_or_si256(_mm256_slli_epi64(lanes, kMarkBits), All(row));
  }

  // Writes what the lanes hold, some of a bucket in order, to out[0, 4): those
  // from `from` on, of which there are fewer if the bucket has too few.
  void Store(Row lanes, std::uint32_t bucket, std::uint32_t count, int from,
             Element* out) const {
    if constexpr (!kOrdered) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lanes);
    } else {
      const Row high = All(high_bits_ | std::uint64_t{bucket} << shift_);
      const Row keys = _mm256_or_si256(
          high,
          _mm256_and_si256(_mm256_srli_epi64(lanes, kMarkBits), key_bits_));
      if constexpr (kPacked) {
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(out),
            _mm256_or_si256(keys, _mm256_and_si256(lanes, ValueBits())));
      } else {
        StorePairs(keys, ValuesOf(lanes, bucket, count, from), out);
      }
    }
  }

  Row ValuesOf(Row lanes, std::uint32_t bucket, std::uint32_t count,
               int from) const {
    const Row rows = _mm256_and_si256(lanes, All((1 << kMarkBits) - 1));
    const Row places = _mm256_add_epi64(
        _mm256_sll_epi64(rows, _mm_cvtsi32_si128(bits_)), All(bucket));
    const Row present = _mm256_cmpgt_epi64(
        All(count), _mm256_setr_epi64x(from, from + 1, from + 2, from + 3));
    return _mm256_mask_i64gather_epi64(
        _mm256_setzero_si256(),
        reinterpret_cast<const long long*>(buckets_.values), places, present,
        8);
  }

  static void StorePairs(Row keys, Row values, Element* out) {
    const Row even = _mm256_unpacklo_epi64(keys, values);
    const Row odd = _mm256_unpackhi_epi64(keys, values);
    auto* const to = reinterpret_cast<__m256i*>(out);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }

  const Buckets<Element>& buckets_;
  const int bits_;
  const int shift_;
  const std::uint64_t high_bits_;
  // Those of a key that differ within a bucket.
  const Row key_bits_;
};

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
