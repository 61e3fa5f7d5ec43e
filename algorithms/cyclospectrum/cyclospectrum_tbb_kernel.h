// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of cyclospectrum_tbb_windows.cc, compiled for each target of
// backends/tbb/simd.h. Numbers are bit-sliced: word k has bit k of 64 of them.

namespace concord {
namespace CONCORD_SIMD {

// The bits of a + b + c: those of 1, which replace a, and those of 2.
inline std::uint64_t AddBits(std::uint64_t& a, std::uint64_t b,
                             std::uint64_t c) {
  const std::uint64_t either = a ^ b;
  const std::uint64_t carry = (a & b) | (either & c);
  a = either ^ c;
  return carry;
}

// Adds up 16 windows; the sums below 16 stay in low[0], ..., low[3], and what
// is carried comes out (Harley and Seal's way of counting bits, column by
// column).
inline void AddSixteen(const unsigned char* const* windows, std::int64_t offset,
                       WindowWords* low, WindowWords& carried) {
  using Word [[gnu::aligned(1), gnu::may_alias]] = std::uint64_t;
  const Word* in[16];
  for (int i = 0; i < 16; ++i) {
    in[i] = reinterpret_cast<const Word*>(windows[i] + offset);
  }
#pragma GCC ivdep
  for (int w = 0; w < kWindowWords; ++w) {
    std::uint64_t ones = low[0].word[w];
    std::uint64_t twos = low[1].word[w];
    std::uint64_t fours = low[2].word[w];
    std::uint64_t eights = low[3].word[w];
    const std::uint64_t two0 = AddBits(ones, in[0][w], in[1][w]);
    const std::uint64_t two1 = AddBits(ones, in[2][w], in[3][w]);
    const std::uint64_t four0 = AddBits(twos, two0, two1);
    const std::uint64_t two2 = AddBits(ones, in[4][w], in[5][w]);
    const std::uint64_t two3 = AddBits(ones, in[6][w], in[7][w]);
    const std::uint64_t four1 = AddBits(twos, two2, two3);
    const std::uint64_t eight0 = AddBits(fours, four0, four1);
    const std::uint64_t two4 = AddBits(ones, in[8][w], in[9][w]);
    const std::uint64_t two5 = AddBits(ones, in[10][w], in[11][w]);
    const std::uint64_t four2 = AddBits(twos, two4, two5);
    const std::uint64_t two6 = AddBits(ones, in[12][w], in[13][w]);
    const std::uint64_t two7 = AddBits(ones, in[14][w], in[15][w]);
    const std::uint64_t four3 = AddBits(twos, two6, two7);
    const std::uint64_t eight1 = AddBits(fours, four2, four3);
    carried.word[w] = AddBits(eights, eight0, eight1);
    low[0].word[w] = ones;
    low[1].word[w] = twos;
    low[2].word[w] = fours;
    low[3].word[w] = eights;
  }
}

// counts[v] = in how many windows bit v is set. There are 16 `sixteens` of
// windows, each of which starts `offset` bytes behind its pointer.
inline void CountBits(const unsigned char* const* windows,
                      std::int64_t sixteens, std::int64_t offset,
                      std::uint32_t* counts) {
  constexpr int kLow = 4;
  constexpr int kPlanes = 32;
  // What a plane is waiting for: carries are added to it by twos.
  WindowWords planes[kPlanes];
  WindowWords waiting[kPlanes];
  int used = kLow;
  while (sixteens >> (used - kLow) != 0) ++used;
  std::fill_n(planes, used, WindowWords{});
  for (std::int64_t i = 0; i < sixteens; ++i) {
    WindowWords carried;
    AddSixteen(windows + 16 * i, offset, planes, carried);
    int plane = kLow;
    for (; (i >> (plane - kLow) & 1) != 0; ++plane) {
#pragma GCC ivdep
      for (int w = 0; w < kWindowWords; ++w) {
        carried.word[w] = AddBits(planes[plane].word[w], waiting[plane].word[w],
                                  carried.word[w]);
      }
    }
    waiting[plane] = carried;
  }
  for (int first = kLow; first < used; ++first) {
    if ((sixteens >> (first - kLow) & 1) == 0) continue;
    WindowWords& carried = waiting[first];
    for (int plane = first; plane < used; ++plane) {
#pragma GCC ivdep
      for (int w = 0; w < kWindowWords; ++w) {
        carried.word[w] = AddBits(planes[plane].word[w], carried.word[w], 0);
      }
    }
  }

  for (int w = 0; w < kWindowWords; ++w) {
    for (int half = 0; half < 2; ++half) {
      std::uint32_t* const to = counts + 64 * w + 32 * half;
      std::uint32_t sums[32] = {};
      for (int plane = 0; plane < used; ++plane) {
        const auto bits =
            static_cast<std::uint32_t>(planes[plane].word[w] >> (32 * half));
        for (int b = 0; b < 32; ++b) sums[b] += (bits >> b & 1u) << plane;
      }
      std::copy_n(sums, 32, to);
    }
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord
