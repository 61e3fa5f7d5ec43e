// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of windows.cc and of writers.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::cyclospectrum {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// As many columns as a vector has bits. Numbers are bit-sliced: a plane of bits
// for each power of two.
using Bits = Vector<std::uint64_t>;

inline constexpr int kWindowVectors = MarkedSums::kValues / 8 / sizeof(Bits);

using Plane = Bits[kWindowVectors];

// The bits of a + b + c: those of 1, which replace a, and those of 2.
inline Bits AddBits(Bits& a, Bits b, Bits c) {
#if CONCORD_SIMD_BYTES == 64
  // From the plain expressions GCC makes four instructions of these two.
  const auto carry =
      (Bits)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
  a = (Bits)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
  return carry;
#else
  const Bits either = a ^ b;
  const Bits carry = (a & b) | (either & c);
  a = either ^ c;
  return carry;
#endif
}

// The bits from a byte on.
inline Bits LoadWindow(const unsigned char* from) {
  Bits bits;
  std::memcpy(&bits, from, sizeof(bits));
#if CONCORD_SIMD_BYTES == 64
  // Into a register: GCC would have both instructions of AddBits load it, and
  // loads that cross a cache line are what takes time.
  asm("" : "+v"(bits));
#endif
  return bits;
}

// Adds up 2^kPlanes windows; their sums' bits below are added to `sums`, and
// what is carried comes out (Harley and Seal's way of counting bits, column by
// column).
template <int kPlanes>
inline Bits AddWindows(const unsigned char* const* windows, std::int64_t offset,
                       Bits* sums) {
  if constexpr (kPlanes == 1) {
    return AddBits(sums[0], LoadWindow(windows[0] + offset),
                   LoadWindow(windows[1] + offset));
  } else {
    constexpr int kHalf = 1 << (kPlanes - 1);
    const Bits first = AddWindows<kPlanes - 1>(windows, offset, sums);
    const Bits second = AddWindows<kPlanes - 1>(windows + kHalf, offset, sums);
    return AddBits(sums[kPlanes - 1], first, second);
  }
}

// counts[v] = in how many windows bit v is set. There are `groups` times
// kWindowsAtOnce windows, each of which starts `offset` bytes behind its
// pointer.
inline void CountBits(const unsigned char* const* windows, std::int64_t groups,
                      std::int64_t offset, std::uint32_t* counts) {
  constexpr int kLow = kPlanesAtOnce;
  constexpr int kPlanes = 32;
  Plane planes[kPlanes];
  // What a plane is waiting for: carries are added to it by twos.
  Plane waiting[kPlanes];
  int used = kLow;
  while (groups >> (used - kLow) != 0) ++used;
  std::memset(planes, 0, static_cast<std::size_t>(used) * sizeof(Plane));
  for (std::int64_t i = 0; i < groups; ++i) {
    Plane carried;
    for (int v = 0; v < kWindowVectors; ++v) {
      Bits sums[kLow];
      for (int k = 0; k < kLow; ++k) sums[k] = planes[k][v];
      carried[v] = AddWindows<kLow>(windows + i * kWindowsAtOnce,
                                    offset + v * sizeof(Bits), sums);
      for (int k = 0; k < kLow; ++k) planes[k][v] = sums[k];
    }
    int plane = kLow;
    for (; (i >> (plane - kLow) & 1) != 0; ++plane) {
      for (int v = 0; v < kWindowVectors; ++v) {
        carried[v] = AddBits(planes[plane][v], waiting[plane][v], carried[v]);
      }
    }
    std::memcpy(waiting[plane], carried, sizeof(Plane));
  }
  for (int first = kLow; first < used; ++first) {
    if ((groups >> (first - kLow) & 1) == 0) continue;
    Plane& carried = waiting[first];
    for (int plane = first; plane < used; ++plane) {
      for (int v = 0; v < kWindowVectors; ++v) {
        carried[v] = AddBits(planes[plane][v], carried[v], Bits{});
      }
    }
  }

  constexpr int kWords = MarkedSums::kValues / 32;
  for (int w = 0; w < kWords; ++w) {
    std::uint32_t sums[32] = {};
    for (int plane = 0; plane < used; ++plane) {
      std::uint32_t bits;
      std::memcpy(&bits, reinterpret_cast<const char*>(planes[plane]) + 4 * w,
                  sizeof(bits));
      for (int b = 0; b < 32; ++b) sums[b] += (bits >> b & 1u) << plane;
    }
    std::copy_n(sums, 32, counts + 32 * w);
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::cyclospectrum
