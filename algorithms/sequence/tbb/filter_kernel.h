// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Moves elements with a flag to the front, for files of kernels
// (backends/tbb/simd.h).

namespace concord::sequence {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

#if CONCORD_SIMD_BYTES == 64
// Flags are 0 or 1. Stores go up to a vector past what is kept, not past what
// has been read.
inline std::int64_t KeepVectors(const std::uint8_t* flags, std::uint32_t* x,
                                std::int64_t n, std::int64_t& i) {
  std::int64_t k = 0;
  for (; i + 16 <= n; i += 16) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags + i));
    const __mmask16 kept = _mm_test_epi8_mask(bytes, bytes);
    _mm512_storeu_si512(
        x + k, _mm512_maskz_compress_epi32(kept, _mm512_loadu_si512(x + i)));
    k += __builtin_popcount(MaskBits(kept));
  }
  return k;
}
inline std::int64_t KeepVectors(const std::uint8_t* flags, std::uint64_t* x,
                                std::int64_t n, std::int64_t& i) {
  std::int64_t k = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i bytes =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(flags + i));
    const auto kept = static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes));
    _mm512_storeu_si512(
        x + k, _mm512_maskz_compress_epi64(kept, _mm512_loadu_si512(x + i)));
    k += __builtin_popcount(MaskBits(kept));
  }
  return k;
}
#endif

// In place. Returns how many are kept.
template <typename T>
std::int64_t Keep(const std::uint8_t* flags, T* x, std::int64_t n) {
  std::int64_t k = 0;
  std::int64_t i = 0;
#if CONCORD_SIMD_BYTES == 64
  if constexpr (sizeof(T) > 1) k = KeepVectors(flags, x, n, i);
#endif
  for (; i < n; ++i) {
    // Stores that may turn out to be in vain are cheaper than a branch.
    x[k] = x[i];
    k += flags[i];
  }
  return k;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::sequence
