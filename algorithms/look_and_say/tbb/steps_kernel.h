// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of steps.cc, compiled for each target of backends/tbb/simd.h.
// Pressing bytes together takes Ice Lake.

namespace concord::look_and_say {
namespace CONCORD_SIMD {

// Runs that start in [first, end); one starts at `first`.
inline std::int64_t CountStarts(const std::uint8_t* digits, std::int64_t first,
                                std::int64_t end) {
  std::int64_t starts = 1;
  std::int64_t i = first + 1;
#if CONCORD_SIMD_BYTES == 64
  for (; i + 64 <= end; i += 64) {
    const __m512i here = _mm512_loadu_si512(digits + i);
    const __m512i before = _mm512_loadu_si512(digits + i - 1);
    starts += __builtin_popcountll(_mm512_cmpneq_epi8_mask(here, before));
  }
#endif
  for (; i < end; ++i) starts += digits[i] != digits[i - 1];
  return starts;
}

#if CONCORD_SIMD_ICELAKE

// Says as much of [first, end) as whole vectors can, within `out_end`; `first`
// is the start of a run. Returns from where on nothing has been said.
inline std::int64_t SayByVectors(const std::uint8_t* digits, std::int64_t first,
                                 std::int64_t end, LookAndSay::Counts counts,
                                 std::uint8_t*& out,
                                 const std::uint8_t* out_end) {
  constexpr std::int64_t kLanes = 64;
  // Byte 2k of the result is count k, byte 2k + 1 digit k.
  alignas(64) std::uint8_t places[2][kLanes];
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < kLanes; ++k) {
      const int pair = half * 32 + k / 2;
      places[half][k] =
          static_cast<std::uint8_t>(k % 2 == 0 ? pair : 64 + pair);
    }
  }
  const __m512i low = _mm512_load_si512(places[0]);
  const __m512i high = _mm512_load_si512(places[1]);
  const __m512i three = _mm512_set1_epi8(3);
  const __m512i two = _mm512_set1_epi8(2);
  const __m512i one = _mm512_set1_epi8(1);

  std::int64_t i = first;
  // A digit that starts no run is said by the vector, or the run, before.
  bool starts_run = true;
  while (i + kLanes + 3 <= end && out + 2 * kLanes <= out_end) {
    const __m512i here = _mm512_loadu_si512(digits + i);
    const __m512i next1 = _mm512_loadu_si512(digits + i + 1);
    const __m512i next2 = _mm512_loadu_si512(digits + i + 2);
    const __m512i next3 = _mm512_loadu_si512(digits + i + 3);
    const __mmask64 ends1 = _mm512_cmpneq_epi8_mask(next1, here);
    const __mmask64 ends2 = _mm512_cmpneq_epi8_mask(next2, next1);
    const __mmask64 ends3 = _mm512_cmpneq_epi8_mask(next3, next2);
    const __mmask64 starts = ends1 << 1 | static_cast<__mmask64>(starts_run);
    if ((starts & ~(ends1 | ends2 | ends3)) != 0) {
      // There is a longer run.
      while (i < end && !starts_run) {
        starts_run = digits[i] != digits[i - 1];
        if (!starts_run) ++i;
      }
      const std::int64_t stop = std::min(i + kLanes, end);
      i = SayRuns(digits, i, stop, end, counts, out);
      starts_run = true;
      continue;
    }
    const __m512i run_counts = _mm512_mask_mov_epi8(
        _mm512_mask_mov_epi8(three, ends2, two), ends1, one);
    const __m512i said_counts = _mm512_maskz_compress_epi8(starts, run_counts);
    const __m512i said_digits = _mm512_maskz_compress_epi8(starts, here);
    _mm512_storeu_si512(
        out, _mm512_permutex2var_epi8(said_counts, low, said_digits));
    _mm512_storeu_si512(
        out + kLanes, _mm512_permutex2var_epi8(said_counts, high, said_digits));
    out += 2 * __builtin_popcountll(starts);
    starts_run = ends1 >> (kLanes - 1) != 0;
    i += kLanes;
  }
  while (i < end && !starts_run) {
    starts_run = digits[i] != digits[i - 1];
    if (!starts_run) ++i;
  }
  return i;
}

#else

inline std::int64_t SayByVectors(const std::uint8_t*, std::int64_t first,
                                 std::int64_t, LookAndSay::Counts,
                                 std::uint8_t*&, const std::uint8_t*) {
  return first;
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::look_and_say
