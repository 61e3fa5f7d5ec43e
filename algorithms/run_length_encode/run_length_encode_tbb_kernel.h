// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of run_length_encode_tbb.cc, compiled for each target of
// backends/tbb/simd.h.

namespace concord {
namespace CONCORD_SIMD {

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

// How many of x[0, n) differ from the element before them. x[-1] is there.
template <typename Word>
std::int64_t CountStarts(const Word* x, std::int64_t n) {
  std::int64_t count = 0;
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) count += __builtin_popcountll(StartBits(x + i));
  for (; i < n; ++i) count += x[i] != x[i - 1];
  return count;
}

// Writes the value of each run that starts in in[first, last), and the length
// of the run before it, from number `out.runs` on; returns what comes next. The
// first run of the array has started already.
template <typename Word, typename Length>
RunCursor WriteRuns(const Word* in, std::int64_t first, std::int64_t last,
                    Word* values, Length* lengths, RunCursor cursor) {
  std::int64_t runs = cursor.runs;
  std::int64_t start = cursor.start;
  const auto write = [&](std::int64_t next) {
    values[runs] = in[next];
    lengths[runs - 1] = static_cast<Length>(next - start);
    ++runs;
    start = next;
  };
  std::int64_t i = first;
  for (; i + 64 <= last; i += 64) {
    for (std::uint64_t bits = StartBits(in + i); bits != 0; bits &= bits - 1) {
      write(i + __builtin_ctzll(bits));
    }
  }
  for (; i < last; ++i) {
    if (in[i] != in[i - 1]) write(i);
  }
  return {runs, start};
}

}  // namespace CONCORD_SIMD
}  // namespace concord
