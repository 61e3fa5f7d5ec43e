// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loops of write_combined.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/stream_lines.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Moves the elements [first, last) of the source to out[next[d]], where d is
// their digit, counting next[d] up. `out` starts on a cache line. `lines` has
// a line for each value of the digit. The places in between belong to other
// threads. With kStream, what is written is too much to stay in the caches.
template <bool kStream, typename Source,
          typename Element = typename Source::Element>
void Distribute(const Source& source, std::int64_t first, std::int64_t last,
                DigitExtractor digit, std::int64_t* next, std::int64_t* begin,
                GatheredLine<Element>* lines, Element* out) {
  constexpr std::int64_t kLine = GatheredLine<Element>::kElements;
  const auto digits = static_cast<std::int64_t>(digit.count());
  std::copy_n(next, digits, begin);
  for (std::int64_t i = first; i < last; ++i) {
    const Element element = source[i];
    const std::uint64_t d = digit(element);
    const std::int64_t place = next[d]++;
    const std::int64_t slot = place & (kLine - 1);
    lines[d].elements[slot] = element;
    if (slot != kLine - 1) continue;
    const std::int64_t line_first = place - slot;
    if (line_first < begin[d]) {
      std::copy(lines[d].elements + (begin[d] - line_first),
                lines[d].elements + kLine, out + begin[d]);
    } else if (kStream) {
      StreamLines(out + line_first, &lines[d], sizeof(lines[d]));
    } else {
      std::memcpy(out + line_first, &lines[d], sizeof(lines[d]));
    }
  }
  for (std::int64_t d = 0; d < digits; ++d) {
    const std::int64_t line_first = next[d] & ~(kLine - 1);
    const std::int64_t rest = std::max(line_first, begin[d]);
    std::copy(lines[d].elements + (rest - line_first),
              lines[d].elements + (next[d] - line_first), out + rest);
  }
  if (kStream) FinishStreaming();
}

#if CONCORD_SIMD_BYTES == 64

inline constexpr std::uint32_t kRegisterElements = 16;

// Counts of so many digits leave the first-level cache some room.
inline constexpr int kMostRunBits = 12;

// The lanes of `v` in the order i ^ kXor.
template <int kXor>
inline __m512i Exchanged(__m512i v) {
  if constexpr (kXor < 4) {
    // Within groups of four lanes: the lane that lane i of four takes, two bits
    // each.
    return _mm512_shuffle_epi32(
        v, static_cast<_MM_PERM_ENUM>((0 ^ kXor) | (1 ^ kXor) << 2 |
                                      (2 ^ kXor) << 4 | (3 ^ kXor) << 6));
  } else {
    const __m512i lanes =
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_epi32(
        _mm512_xor_si512(lanes, _mm512_set1_epi32(kXor)), v);
  }
}

// One step of a sorting network: of lanes i and i ^ kXor, the one in kLarger
// gets the larger element.
template <int kXor, int kLarger>
inline __m512i CompareExchange(__m512i v) {
  const __m512i other = Exchanged<kXor>(v);
  return _mm512_mask_max_epu32(_mm512_min_epu32(v, other), kLarger, v, other);
}

// K. E. Batcher, "Sorting networks and their applications" (1968): the bitonic
// sorter, in which each merge first reverses one of the two halves.
inline __m512i SortLanes(__m512i v) {
  v = CompareExchange<1, 0xaaaa>(v);
  v = CompareExchange<3, 0xcccc>(v);
  v = CompareExchange<1, 0xaaaa>(v);
  v = CompareExchange<7, 0xf0f0>(v);
  v = CompareExchange<2, 0xcccc>(v);
  v = CompareExchange<1, 0xaaaa>(v);
  v = CompareExchange<15, 0xff00>(v);
  v = CompareExchange<4, 0xf0f0>(v);
  v = CompareExchange<2, 0xcccc>(v);
  return CompareExchange<1, 0xaaaa>(v);
}

// Sorts elements[0, n) by one digit and then, a register at a time, those that
// share it. `to` is the lowest bit above which all elements agree. For keys
// that count as they are, all of their bits: equal ones cannot be told apart,
// so that nothing has to be stable. False, and nothing is done, when too many
// share a digit. `a` has room for n elements, where they are left, `out`, which
// may be where they stand, for kRegisterElements more. n >= 2.
inline bool SortByRegisters(const std::uint32_t* elements, std::uint32_t* a,
                            std::uint32_t* out, std::int64_t n, int to) {
  // Half a register on average, so that few of random keys' digits need more.
  const int size_bits = 64 - __builtin_clzll(static_cast<std::uint64_t>(n - 1));
  const int bits = std::min(std::clamp(size_bits - 3, 1, kMostRunBits), to);
  const int shift = to - bits;
  const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  std::uint32_t ends[1 << kMostRunBits];
  std::fill_n(ends, mask + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) ++ends[elements[i] >> shift & mask];
  std::uint32_t most = 0;
  for (std::uint32_t d = 0; d <= mask; ++d) most = std::max(most, ends[d]);
  if (most > 2 * kRegisterElements) return false;

  std::uint32_t sum = 0;
  for (std::uint32_t d = 0; d <= mask; ++d) sum += std::exchange(ends[d], sum);
  for (std::int64_t i = 0; i < n; ++i) {
    a[ends[elements[i] >> shift & mask]++] = elements[i];
  }
  std::uint32_t first = 0;
  const __m512i largest = _mm512_set1_epi32(-1);
  for (std::uint32_t d = 0; d <= mask; ++d) {
    const std::uint32_t count = ends[d] - first;
    if (count <= kRegisterElements) {
      const auto present = static_cast<__mmask16>((1u << count) - 1);
      // What is stored past the last one is overwritten by the next digit.
      _mm512_storeu_si512(out + first, SortLanes(_mm512_mask_loadu_epi32(
                                           largest, present, a + first)));
    } else {
      std::copy_n(a + first, count, out + first);
      InsertionSort(out + first, count, ~std::uint64_t{0});
    }
    first = ends[d];
  }
  return true;
}

#else

inline bool SortByRegisters(const std::uint32_t*, std::uint32_t*,
                            std::uint32_t*, std::int64_t, int) {
  return false;
}

#endif

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
