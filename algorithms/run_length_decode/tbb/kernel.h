// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of chunked.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/stream_lines.h"

namespace concord::run_length_decode {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Runs that are looked at together.
inline constexpr int kBatch = 16;

#if CONCORD_SIMD_BYTES == 64

// The lengths of so many batches as 32-bit integers, a register for each batch;
// false if one of them is negative or above `most`.
template <int kBatches>
inline bool LoadLengths(const std::int32_t* lengths, int most, __m512i* x) {
  __m512i longest = _mm512_setzero_si512();
#pragma GCC unroll 4
  for (int b = 0; b < kBatches; ++b) {
    x[b] = _mm512_loadu_si512(lengths + b * kBatch);
    longest = b == 0 ? x[b] : _mm512_max_epu32(longest, x[b]);
  }
  return _mm512_cmpgt_epu32_mask(longest, _mm512_set1_epi32(most)) == 0;
}
template <int kBatches>
inline bool LoadLengths(const std::int64_t* lengths, int most, __m512i* x) {
  __m512i longest = _mm512_setzero_si512();
#pragma GCC unroll 4
  for (int b = 0; b < kBatches; ++b) {
    const __m512i low = _mm512_loadu_si512(lengths + b * kBatch);
    const __m512i high = _mm512_loadu_si512(lengths + b * kBatch + kBatch / 2);
    longest = _mm512_max_epu64(longest, _mm512_max_epu64(low, high));
    x[b] =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                           _mm512_cvtepi64_epi32(high), 1);
  }
  return _mm512_cmpgt_epu64_mask(longest, _mm512_set1_epi64(most)) == 0;
}

// StoreBatch stores the elements of a batch of runs of at most kShort, and
// behind them anything to the end of the last vector; it returns how many there
// are.
//
// Each run has kShort lanes of a register with its value. Of those, as many are
// moved to the front as it has elements.

#if CONCORD_SIMD_ICELAKE
inline constexpr bool kMovesBytes = true;

template <int kShort, typename Length>
inline std::int64_t StoreBatch(const std::uint8_t* values, const Length*,
                               __m512i lengths, std::uint8_t* to) {
  constexpr const auto& kLanes = kLanesOfRuns<std::uint8_t, kShort>;
  const __m512i bytes = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(lengths));
  const __m512i x = _mm512_castsi128_si512(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
  std::int64_t end = 0;
#pragma GCC unroll 2
  for (int k = 0; k < kBatch; k += 64 / kShort) {
    const __m512i run = _mm512_add_epi8(_mm512_load_si512(kLanes.run),
                                        _mm512_set1_epi8(static_cast<char>(k)));
    const std::uint64_t kept = _mm512_cmplt_epu8_mask(
        _mm512_load_si512(kLanes.place), _mm512_permutexvar_epi8(run, bytes));
    _mm512_storeu_si512(to + end, _mm512_maskz_compress_epi8(
                                      kept, _mm512_permutexvar_epi8(run, x)));
    end += __builtin_popcountll(kept);
  }
  return end;
}
#else
inline constexpr bool kMovesBytes = false;
#endif

template <int kShort, typename Length>
inline std::int64_t StoreBatch(const std::uint32_t* values, const Length*,
                               __m512i lengths, std::uint32_t* to) {
  constexpr const auto& kLanes = kLanesOfRuns<std::uint32_t, kShort>;
  const __m512i x = _mm512_loadu_si512(values);
  std::int64_t end = 0;
#pragma GCC unroll 4
  for (int k = 0; k < kBatch; k += 16 / kShort) {
    const __m512i run =
        _mm512_add_epi32(_mm512_load_si512(kLanes.run), _mm512_set1_epi32(k));
    const __mmask16 kept =
        _mm512_cmplt_epu32_mask(_mm512_load_si512(kLanes.place),
                                _mm512_permutexvar_epi32(run, lengths));
    _mm512_storeu_si512(to + end, _mm512_maskz_compress_epi32(
                                      kept, _mm512_permutexvar_epi32(run, x)));
    end += __builtin_popcount(MaskBits(kept));
  }
  return end;
}

// A register has too few lanes for several runs.
template <int kShort, typename Length>
inline std::int64_t StoreBatch(const std::uint64_t* values,
                               const Length* lengths, __m512i,
                               std::uint64_t* to) {
  static_assert(kShort == 4);
  std::int64_t end = 0;
#pragma GCC unroll 16
  for (int k = 0; k < kBatch; ++k) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + end),
                        _mm256_set1_epi64x(static_cast<long long>(values[k])));
    end += lengths[k];
  }
  return end;
}

// Writes the next runs to block[filled, ...), a few batches at a time, as long
// as none of them has more than kShort elements, and until `count` elements are
// there. Returns how many runs there were, and adds their lengths to `filled`.
// Meanwhile those are fetched that lie so far ahead.
template <int kShort, int kBatches, typename Word, typename Length>
inline std::int64_t FillShort(const Word* values, const Length* lengths,
                              std::int64_t runs, std::int64_t ahead,
                              Word* block, std::int64_t count,
                              std::int64_t& filled) {
  constexpr std::int64_t kRuns = kBatches * kBatch;
  std::int64_t end = filled;
  std::int64_t run = 0;
  while (end < count) {
    // After so many steps, and no fewer, the block may be full.
    std::int64_t steps = std::min((runs - run) / kRuns,
                                  (count - end - 1) / (kRuns * kShort) + 1);
    if (steps == 0) break;
    for (; steps > 0; --steps, run += kRuns) {
      __m512i x[kBatches];
      if (!LoadLengths<kBatches>(lengths + run, kShort, x)) {
        filled = end;
        return run;
      }
      FetchLines(lengths + run + ahead, kRuns * sizeof(Length));
      FetchLines(values + run + ahead, kRuns * sizeof(Word));
#pragma GCC unroll 4
      for (int b = 0; b < kBatches; ++b) {
        end +=
            StoreBatch<kShort>(values + run + b * kBatch,
                               lengths + run + b * kBatch, x[b], block + end);
      }
    }
  }
  filled = end;
  return run;
}
#endif

// Writes the next runs to block[filled, ...), half a batch at a time, as long
// as each of them fits into a vector of so many bytes, and until `count`
// elements are there. Returns how many there were, and adds their lengths to
// `filled`.
template <int kBytes, typename Word, typename Length>
inline std::int64_t FillBatches(const Word* values, const Length* lengths,
                                std::int64_t runs, Word* block,
                                std::int64_t count, std::int64_t& filled) {
  constexpr int kHalf = kBatch / 2;
  constexpr int kLanes = kBytes / sizeof(Word);
  typedef Word Vector __attribute__((vector_size(kBytes)));
  std::int64_t end = filled;
  std::int64_t run = 0;
  for (; run + kHalf <= runs && end < count; run += kHalf) {
    Length outside = 0;
    for (int k = 0; k < kHalf; ++k) {
      const auto length =
          static_cast<std::make_unsigned_t<Length>>(lengths[run + k]);
      outside |= static_cast<Length>(length | (kLanes - length));
    }
    if (outside < 0) break;
#pragma GCC unroll 8
    for (int k = 0; k < kHalf; ++k) {
      const Vector vector = values[run + k] - Vector{};
      std::memcpy(block + end, &vector, sizeof(vector));
      end += lengths[run + k];
    }
  }
  filled = end;
  return run;
}

// Writes the next elements to `block`, of which `filled` are there, until there
// are `count` or a few more. Returns how many there are then. Behind them
// anything is written: every run is written in whole vectors, and the next one
// overwrites what is too much. All that is beyond `count` fits kSlackBytes.
// There are `runs` of them, most of which are short if `batches` is set; those
// are fetched that lie so far ahead.
template <typename Word, typename Length>
std::int64_t FillBlock(const Word* values, const Length* lengths,
                       std::int64_t runs, bool batches,
                       [[maybe_unused]] std::int64_t ahead, RunPosition& at,
                       Word* block, std::int64_t filled, std::int64_t count) {
  constexpr int kLanes = CONCORD_SIMD_BYTES / sizeof(Word);
  typedef Word Vector __attribute__((vector_size(CONCORD_SIMD_BYTES)));
  // Stores that cross a cache line take twice as long: narrow ones seldom do.
  constexpr int kNarrow =
      sizeof(Word) == 1 ? 16 : std::min(32, CONCORD_SIMD_BYTES);
  std::int64_t run = at.run;
  std::int64_t used = at.used;
  const auto vector_of = [&](std::int64_t k) { return values[k] - Vector{}; };
  while (filled < count) {
    if (batches && used == 0) {
#if CONCORD_SIMD_BYTES == 64
      if constexpr (sizeof(Word) > 1) {
        run += FillShort<4, 1>(values + run, lengths + run, runs - run, ahead,
                               block, count, filled);
      } else if constexpr (kMovesBytes) {
        run += FillShort<4, 4>(values + run, lengths + run, runs - run, ahead,
                               block, count, filled);
        run += FillShort<8, 1>(values + run, lengths + run, runs - run, ahead,
                               block, count, filled);
      }
#endif
      run += FillBatches<kNarrow>(values + run, lengths + run, runs - run,
                                  block, count, filled);
      if (kNarrow < CONCORD_SIMD_BYTES) {
        run += FillBatches<CONCORD_SIMD_BYTES>(
            values + run, lengths + run, runs - run, block, count, filled);
      }
      if (filled >= count) break;
    }
    const std::int64_t left = std::max<std::int64_t>(lengths[run], 0) - used;
    const std::int64_t taken = std::min(left, count - filled);
    Vector vector = vector_of(run);
    for (std::int64_t i = 0; i < taken; i += kLanes) {
      std::memcpy(block + filled + i, &vector, sizeof(vector));
    }
    filled += taken;
    if (taken < left) {
      used += taken;
      break;  // the block is full
    }
    used = 0;
    ++run;
    // Short runs, one vector each, as long as they fit: or no more of them than
    // a batch has, which is then tried again.
    const std::int64_t last_run = batches ? run + kBatch / 2 : runs;
    while (filled < count && run < last_run) {
      const std::int64_t length = std::max<std::int64_t>(lengths[run], 0);
      if (length > std::min<std::int64_t>(kLanes, count - filled)) break;
      vector = vector_of(run);
      std::memcpy(block + filled, &vector, sizeof(vector));
      filled += length;
      ++run;
    }
  }
  at = {run, used};
  return filled;
}

// Writes elements past the caches, from a place that is as far behind the start
// of a cache line as `to` is.
template <typename Word>
void StreamPart(Word* to, const Word* from, std::int64_t count) {
  constexpr std::int64_t kLine = 64 / sizeof(Word);
  const auto past_line = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(Word));
  std::int64_t i = past_line == 0 ? 0 : std::min(count, kLine - past_line);
  std::memcpy(to, from, static_cast<std::size_t>(i) * sizeof(Word));
  const std::int64_t whole = (count - i) / kLine * kLine;
  StreamLines(to + i, from + i, whole * std::int64_t{sizeof(Word)});
  i += whole;
  std::memcpy(to + i, from + i,
              static_cast<std::size_t>(count - i) * sizeof(Word));
}

// Of at most kMostRuns lengths; -1 where int64 does not hold the sum.
template <typename Length>
std::int64_t SumLengths(const Length* lengths, std::int64_t count) {
  using Unsigned = std::make_unsigned_t<Length>;
  Unsigned sum = 0;
  Unsigned bits = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto length = static_cast<Unsigned>(lengths[k] > 0 ? lengths[k] : 0);
    sum += length;
    bits |= length;
  }
  // So many smaller ones cannot be too much.
  if (bits < (Unsigned{1} << (8 * sizeof(Length) - 1)) / kMostRuns) {
    return static_cast<std::int64_t>(sum);
  }
  std::int64_t checked = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!AddSize(std::max<std::int64_t>(lengths[k], 0), checked)) return -1;
  }
  return checked;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::run_length_decode
