// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of dna_words.cc, compiled for each target of
// backends/tbb/simd.h. What has AVX-512 but not what Ice Lake added to it takes
// the code for AVX2.

#if CONCORD_SIMD_ICELAKE
#include "concord/algorithms/tensor_sketch/tbb/dna_words_avx512.h"
#elif CONCORD_SIMD_BYTES > 16
#include "concord/algorithms/tensor_sketch/tbb/dna_words_avx2.h"
#endif

namespace concord::tensor_sketch {
namespace CONCORD_SIMD {

#if CONCORD_SIMD_BYTES > 16

// A DnaCounter. A Block has a row of two[] and of one[] for each position;
// CountBlock counts it, Append appends its counts to those before it.
inline void CountDna(const std::uint8_t* letters, std::int64_t n,
                     int alphabet_size, std::uint64_t* counts) {
  Block block;
  std::fill_n(block.two[kDnaZeroRow], 16, 0);
  std::fill_n(block.one[kDnaZeroRow], 4, 0);
  std::fill_n(counts, kDnaCounts, 0);
  for (std::int64_t i = 0; i < n; i += kDnaBlock) {
    const auto size =
        static_cast<int>(std::min<std::int64_t>(kDnaBlock, n - i));
    CountBlock(letters + i, size, alphabet_size, block);
    Append(block, counts);
  }
}

inline constexpr DnaCounter kCountDna = &CountDna;

#else

inline constexpr DnaCounter kCountDna = nullptr;

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::tensor_sketch
