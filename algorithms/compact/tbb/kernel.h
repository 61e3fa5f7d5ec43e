// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of compress.cc, compiled for each target of
// backends/tbb/simd.h. A step looks at the elements of one vector, gets a bit
// for each that is kept, moves those to the front of a register and stores the
// whole register: what follows the kept ones is overwritten by the next step.
// (An instruction that compresses straight into memory exists as well. On some
// CPUs it is many times slower.) No store goes past the elements looked at so
// far, so the outputs need no more room than the input.

namespace concord::compact {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64

using Register = __m512i;

// Elements in a step.
template <typename Word>
inline constexpr int kStep = 64 / sizeof(Word);

inline Register LoadStep(const void* from) { return _mm512_loadu_si512(from); }

inline std::uint64_t BitsOfKept(const KeptRange<std::uint8_t>& keep,
                                Register x) {
  return _mm512_cmple_epu8_mask(
      _mm512_sub_epi8(x, _mm512_set1_epi8(static_cast<char>(keep.low))),
      _mm512_set1_epi8(static_cast<char>(keep.span)));
}
inline std::uint64_t BitsOfKept(const KeptRange<std::uint32_t>& keep,
                                Register x) {
  const auto splat = [](std::uint32_t value) {
    return _mm512_set1_epi32(static_cast<int>(value));
  };
  const Register ordered = _mm512_xor_si512(
      x, _mm512_and_si512(_mm512_srai_epi32(x, 31), splat(keep.flip)));
  return _mm512_cmple_epu32_mask(_mm512_sub_epi32(ordered, splat(keep.low)),
                                 splat(keep.span));
}
inline std::uint64_t BitsOfKept(const KeptRange<std::uint64_t>& keep,
                                Register x) {
  const auto splat = [](std::uint64_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
  };
  const Register ordered = _mm512_xor_si512(
      x, _mm512_and_si512(_mm512_srai_epi64(x, 63), splat(keep.flip)));
  return _mm512_cmple_epu64_mask(_mm512_sub_epi64(ordered, splat(keep.low)),
                                 splat(keep.span));
}

// The kept ones of `x`, which is what `from` begins with.
inline void StoreKept(std::uint32_t* to, const std::uint32_t*, Register x,
                      std::uint64_t bits) {
  _mm512_storeu_si512(
      to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), x));
}
inline void StoreKept(std::uint64_t* to, const std::uint64_t*, Register x,
                      std::uint64_t bits) {
  _mm512_storeu_si512(
      to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), x));
}

#elif CONCORD_SIMD_BYTES == 32

using Register = __m256i;

template <typename Word>
inline constexpr int kStep = 32 / sizeof(Word);

inline Register LoadStep(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

// AVX2 compares signed integers only: with the sign bit turned over, unsigned
// ones are in the same order.
inline std::uint64_t BitsOfKept(const KeptRange<std::uint8_t>& keep,
                                Register x) {
  const auto splat = [](int value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  };
  const Register past = _mm256_cmpgt_epi8(
      _mm256_sub_epi8(x, splat(keep.low ^ 0x80)), splat(keep.span ^ 0x80));
  return static_cast<std::uint32_t>(~_mm256_movemask_epi8(past));
}
inline std::uint64_t BitsOfKept(const KeptRange<std::uint32_t>& keep,
                                Register x) {
  constexpr std::uint32_t kSign = 0x80000000;
  const auto splat = [](std::uint32_t value) {
    return _mm256_set1_epi32(static_cast<int>(value));
  };
  const Register ordered = _mm256_xor_si256(
      x, _mm256_and_si256(_mm256_srai_epi32(x, 31), splat(keep.flip)));
  const Register past =
      _mm256_cmpgt_epi32(_mm256_sub_epi32(ordered, splat(keep.low ^ kSign)),
                         splat(keep.span ^ kSign));
  return 0xff & ~_mm256_movemask_ps(_mm256_castsi256_ps(past));
}
inline std::uint64_t BitsOfKept(const KeptRange<std::uint64_t>& keep,
                                Register x) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto splat = [](std::uint64_t value) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
  };
  const Register negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
  const Register ordered =
      _mm256_xor_si256(x, _mm256_and_si256(negative, splat(keep.flip)));
  const Register past =
      _mm256_cmpgt_epi64(_mm256_sub_epi64(ordered, splat(keep.low ^ kSign)),
                         splat(keep.span ^ kSign));
  return 0xf & ~_mm256_movemask_pd(_mm256_castsi256_pd(past));
}

// `bits` are those of eight lanes of 32 bits.
inline void StoreLanes(void* to, Register x, std::uint64_t bits) {
  const Register lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(
      reinterpret_cast<const __m128i*>(kSetBits.positions[bits])));
  _mm256_storeu_si256(static_cast<__m256i*>(to),
                      _mm256_permutevar8x32_epi32(x, lanes));
}
inline void StoreKept(std::uint32_t* to, const std::uint32_t*, Register x,
                      std::uint64_t bits) {
  StoreLanes(to, x, bits);
}
inline void StoreKept(std::uint64_t* to, const std::uint64_t*, Register x,
                      std::uint64_t bits) {
  // Each bit twice: 0xabcd -> 0xaabbccdd, in binary.
  const std::uint64_t apart =
      (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
  StoreLanes(to, x, 3 * apart);
}

#endif

#if CONCORD_SIMD_BYTES > 16

// The positions of the set bits, counted from `first` on, eight at a time.
inline void StoreIndices(std::int64_t* to, std::int64_t first,
                         std::uint64_t bits, int step) {
  for (int i = 0; i < step; i += 8, bits >>= 8, first += 8) {
    const __m128i positions = _mm_loadl_epi64(
        reinterpret_cast<const __m128i*>(kSetBits.positions[bits & 0xff]));
#if CONCORD_SIMD_BYTES == 64
    _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_cvtepu8_epi64(positions),
                                             _mm512_set1_epi64(first)));
#else
    const __m256i base = _mm256_set1_epi64x(first);
    auto* const target = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(
        target, _mm256_add_epi64(_mm256_cvtepu8_epi64(positions), base));
    if (step > 4) {
      const __m128i rest = _mm_srli_si128(positions, 4);
      _mm256_storeu_si256(target + 1,
                          _mm256_add_epi64(_mm256_cvtepu8_epi64(rest), base));
    }
#endif
    to += kSetBits.count[bits & 0xff];
  }
}

#if CONCORD_SIMD_ICELAKE
inline void StoreKept(std::uint8_t* to, const std::uint8_t*, Register x,
                      std::uint64_t bits) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(bits, x));
}
#else
// Bytes go in groups of eight, for which a register of 16 bytes has a shuffle.
inline void StoreKept(std::uint8_t* to, const std::uint8_t* from, Register,
                      std::uint64_t bits) {
  for (int i = 0; i < kStep<std::uint8_t>; i += 8, bits >>= 8) {
    const std::size_t group = bits & 0xff;
    const auto row =
        reinterpret_cast<const __m128i*>(kSetBits.positions[group]);
    const auto x = reinterpret_cast<const __m128i*>(from + i);
    _mm_storel_epi64(
        reinterpret_cast<__m128i*>(to),
        _mm_shuffle_epi8(_mm_loadl_epi64(x), _mm_loadl_epi64(row)));
    to += kSetBits.count[group];
  }
}

#endif

#endif

// Compacts one stretch of elements, of which the first has this index. The
// outputs begin with the stretch. Returns how many are kept. The parameters are
// copies: stores of bytes could change what they refer to.
template <typename Word>
std::int64_t CompressSpan(KeptRange<Word> keep, std::int64_t first_index,
                          CompactArrays<Word> to) {
  std::int64_t k = 0;
  std::int64_t i = 0;
#if CONCORD_SIMD_BYTES > 16
  constexpr int kElements = kStep<Word>;
  constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - kElements);
  const std::uint64_t inverted = keep.inverted ? kAll : 0;
  for (; i + kElements <= to.size; i += kElements) {
    const Register x = LoadStep(to.in + i);
    const std::uint64_t bits = BitsOfKept(keep, x) ^ inverted;
    StoreKept(to.kept + k, to.in + i, x, bits);
    if (to.rejected != nullptr) {
      StoreKept(to.rejected + (i - k), to.in + i, x, bits ^ kAll);
    }
    if (to.indices != nullptr) {
      StoreIndices(to.indices + k, first_index + i, bits, kElements);
    }
    k += __builtin_popcountll(bits);
  }
#endif
  for (; i < to.size; ++i) {
    const Word x = to.in[i];
    // Stores that may turn out to be in vain are cheaper than a branch.
    to.kept[k] = x;
    if (to.indices != nullptr) to.indices[k] = first_index + i;
    if (to.rejected != nullptr) to.rejected[i - k] = x;
    k += keep.Keeps(x) ? 1 : 0;
  }
  return k;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::compact
