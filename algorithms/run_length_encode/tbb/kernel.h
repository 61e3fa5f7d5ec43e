// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of chunked.cc, compiled for each target of
// backends/tbb/simd.h.

namespace concord::run_length_encode {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Bit i says whether x[i] differs from x[i - 1], which is there.
template <typename Word>
inline std::uint64_t StartBits(const Word* x) {
#if CONCORD_SIMD_BYTES == 64
  std::uint64_t bits = 0;
  constexpr int kLanes = 64 / sizeof(Word);
  for (int i = 0; i < 64; i += kLanes) {
    const __m512i here = _mm512_loadu_si512(x + i);
    const __m512i before = _mm512_loadu_si512(x + i - 1);
    std::uint64_t different;
    if constexpr (sizeof(Word) == 1) {
      different = _mm512_cmpneq_epu8_mask(here, before);
    } else if constexpr (sizeof(Word) == 4) {
      different = _mm512_cmpneq_epu32_mask(here, before);
    } else {
      different = _mm512_cmpneq_epu64_mask(here, before);
    }
    bits |= different << i;
  }
  return bits;
#else
  // The compiler makes vectors of this.
  alignas(64) std::uint8_t different[64];
  for (int i = 0; i < 64; ++i) different[i] = x[i] != x[i - 1];
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, different + i, sizeof(bytes));
    // The eight lowest bits of the bytes, side by side at the top: byte j
    // times 2^(56 - 7j) is bit j of the top byte, and no two products meet.
    bits |= (bytes * 0x0102040810204080u >> 56) << i;
  }
  return bits;
#endif
}

#if CONCORD_SIMD_BYTES == 64

// Stores those of 16 elements whose bits are set, side by side, and behind them
// anything, but no more than 16 in all.
inline void StoreStarts(std::uint8_t* to, const std::uint8_t* from,
                        __mmask16 bits) {
  const __m512i wide = _mm512_cvtepu8_epi32(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(to),
      _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32(bits, wide)));
}
inline void StoreStarts(std::uint32_t* to, const std::uint32_t* from,
                        __mmask16 bits) {
  _mm512_storeu_si512(
      to, _mm512_maskz_compress_epi32(bits, _mm512_loadu_si512(from)));
}
inline void StoreStarts(std::uint64_t* to, const std::uint64_t* from,
                        __mmask16 bits) {
  const auto low = static_cast<__mmask8>(bits);
  _mm512_storeu_si512(
      to, _mm512_maskz_compress_epi64(low, _mm512_loadu_si512(from)));
  _mm512_storeu_si512(
      to + __builtin_popcount(MaskBits(low)),
      _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits >> 8),
                                  _mm512_loadu_si512(from + 8)));
}

inline void StoreLengths(std::int32_t* to, __m512i lengths) {
  _mm512_storeu_si512(to, lengths);
}
inline void StoreLengths(std::int64_t* to, __m512i lengths) {
  _mm512_storeu_si512(to,
                      _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lengths)));
  _mm512_storeu_si512(
      to + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(lengths, 1)));
}

#endif

// Finds the runs that start in in[first, last), where in[first - 1] is there
// and the one before them started at `start`. Writes their values, and the
// length of the run before each of them, and nothing past values[last - first)
// and lengths[last - first). Returns how many there are and where the last run
// started.
template <typename Word, typename Length>
RunCursor EncodeSpan(const Word* in, std::int64_t first, std::int64_t last,
                     Word* values, Length* lengths, std::int64_t start) {
  std::int64_t runs = 0;
  const auto write = [&](std::int64_t next) {
    values[runs] = in[next];
    lengths[runs] = static_cast<Length>(next - start);
    ++runs;
    start = next;
  };
  std::int64_t i = first;
  for (; i + 64 <= last; i += 64) {
    FetchLines(reinterpret_cast<const char*>(in + i) + kAheadBytes,
               64 * sizeof(Word));
    std::uint64_t bits = StartBits(in + i);
#if CONCORD_SIMD_BYTES == 64
    // Fewer are written sooner one by one. (What they are compared with may be
    // far away, and 32 bits of its distance are not enough.)
    constexpr int kFew = 6;
    if (__builtin_popcountll(bits) > kFew) {
      const __m512i steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
                                             5, 4, 3, 2, 1, 0);
      // Positions are counted from i. `lengths` of the first is put right
      // below.
      const std::int64_t first_start = i + __builtin_ctzll(bits);
      const std::int64_t first_length = first_start - start;
      const std::int64_t first_run = runs;
      __m512i before = _mm512_setzero_si512();
      for (int part = 0; part < 64; part += 16) {
        const auto mask = static_cast<__mmask16>(bits >> part);
        if (mask == 0) continue;
        StoreStarts(values + runs, in + i + part, mask);
        const __m512i positions = _mm512_maskz_compress_epi32(
            mask, _mm512_add_epi32(steps, _mm512_set1_epi32(part)));
        // Each with the one before it, which for the first is the last of all
        // before.
        StoreLengths(lengths + runs,
                     _mm512_sub_epi32(positions, _mm512_alignr_epi32(
                                                     positions, before, 15)));
        runs += __builtin_popcount(MaskBits(mask));
        const int top = part + 31 - __builtin_clz(MaskBits(mask));
        before = _mm512_set1_epi32(top);
        start = i + top;
      }
      lengths[first_run] = static_cast<Length>(first_length);
      continue;
    }
#endif
    for (; bits != 0; bits &= bits - 1) write(i + __builtin_ctzll(bits));
  }
  for (; i < last; ++i) {
    if (in[i] != in[i - 1]) write(i);
  }
  return {runs, start};
}

}  // namespace CONCORD_SIMD
}  // namespace concord::run_length_encode
