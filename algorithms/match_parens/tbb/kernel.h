// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of fused.cc, compiled for each target of backends/tbb/simd.h.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::match_parens {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// A vector holds so many groups of 16 bytes.
inline constexpr int kGroups = CONCORD_SIMD_BYTES / 16;

// In each group, the bytes a[0], b[0], a[1], b[1], ... of the lower halves, or
// of the upper ones: an instruction of every x86 CPU.
template <int kHalf, std::size_t... kByte>
inline Vector<std::int8_t> InterleaveGroups(Vector<std::int8_t> a,
                                            Vector<std::int8_t> b,
                                            std::index_sequence<kByte...>) {
  constexpr std::size_t kBytes = sizeof...(kByte);
  return __builtin_shufflevector(
      a, b,
      (kByte / 16 * 16 + kByte % 16 / 2 + 8 * kHalf + kByte % 2 * kBytes)...);
}

// The groups of 16 rows are squares; each is transposed in place. A step is a
// riffle of the first eight rows with the others, which turns the bits of a
// byte's place (row above byte) by one.
inline void TransposeGroups(Vector<std::int8_t> (&rows)[16]) {
  using Bytes = std::make_index_sequence<CONCORD_SIMD_BYTES>;
#pragma GCC unroll 4
  for (int step = 0; step < 4; ++step) {
    Vector<std::int8_t> riffled[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      riffled[2 * i] = InterleaveGroups<0>(rows[i], rows[i + 8], Bytes());
      riffled[2 * i + 1] = InterleaveGroups<1>(rows[i], rows[i + 8], Bytes());
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) rows[i] = riffled[i];
  }
}

// The depths of 16 adjacent streams of kStream bytes, all at the same time.
// Sixteen rows, one of each stream, become 16 vectors in which each byte has
// its own 16 bytes of a stream to go through.
template <int kStream>
Depths FoldBlock(const std::uint8_t* in, std::uint8_t open,
                 std::uint8_t close) {
  using Bytes = Vector<std::int8_t>;
  typedef std::int8_t Group __attribute__((vector_size(16)));
  // A stream is no longer than 16 bits can count.
  typedef std::int16_t Wide __attribute__((vector_size(32)));
  // How far ahead the next lines are fetched: the streams are many, short and
  // of no pattern that the CPU would follow.
  constexpr int kAhead = 16 * kStream;
  const Bytes opening = Broadcast(static_cast<std::int8_t>(open));
  const Bytes closing = Broadcast(static_cast<std::int8_t>(close));
  Wide sums{}, lowest{};
  for (int i = 0; i < kStream; i += CONCORD_SIMD_BYTES) {
    Bytes rows[16];
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) {
      const std::uint8_t* const from = in + r * kStream + i;
      __builtin_prefetch(from + kAhead);
      std::memcpy(&rows[r], from, sizeof(rows[r]));
    }
    TransposeGroups(rows);
    Bytes sum{}, low{};
#pragma GCC unroll 16
    for (int k = 0; k < 16; ++k) {
      // A comparison that holds is -1.
      sum += (Bytes)(rows[k] == closing) - (Bytes)(rows[k] == opening);
      low = sum < low ? sum : low;
    }
    Group group_sums[kGroups], group_lows[kGroups];
    std::memcpy(group_sums, &sum, sizeof(sum));
    std::memcpy(group_lows, &low, sizeof(low));
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) {
      const Wide down = sums + __builtin_convertvector(group_lows[g], Wide);
      lowest = down < lowest ? down : lowest;
      sums += __builtin_convertvector(group_sums[g], Wide);
    }
  }
  Depths depths;
  for (int r = 0; r < 16; ++r) depths.Append({sums[r], lowest[r]});
  return depths;
}

// The depths of n elements.
inline Depths FoldRange(const std::uint8_t* in, std::int64_t n,
                        std::uint8_t open, std::uint8_t close) {
  // 15 cache lines, so that the streams do not share the sets of the cache.
  constexpr int kLong = 15 * 64;
  constexpr int kShort = 64;
  Depths depths;
  std::int64_t i = 0;
  for (; i + 16 * kLong <= n; i += 16 * kLong) {
    depths.Append(FoldBlock<kLong>(in + i, open, close));
  }
  for (; i + 16 * kShort <= n; i += 16 * kShort) {
    depths.Append(FoldBlock<kShort>(in + i, open, close));
  }
  for (; i < n; ++i) {
    depths.sum += (in[i] == open) - (in[i] == close);
    depths.lowest = std::min(depths.lowest, depths.sum);
  }
  return depths;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::match_parens
