// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of max_subarray/cuda/fused for bytes, whose rows need not be the
// leaves of max_subarray.h: the order of integer sums is free. The first leaves
// a value for each tile of 32 rows (byte_tiles.cuh), the second combines them.
//
// 19 bytes arrive at each multiprocessor of an H200 per cycle, and 64 integer
// operations are done: there are 3 for each byte.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_BYTES_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_BYTES_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/max_subarray/cuda/locate.cuh"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/byte_tiles.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::max_subarray {

// What a row or a tile comes to. In a tile the places travel in the lowest bits
// of the sums that they belong to, where they take part in no comparison but
// one of equal sums: five bits for the row where a run begins, above five for
// the one where it ends, both counted from the last row, so that larger is
// earlier. Of equal runs the operator wants the one that begins first, and of
// those the one that ends first; of prefixes the shortest and of suffixes the
// longest. A tile's sums take 22 bits.
template <typename T>
struct alignas(16) ByteSums {
  using Sum = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;

  static constexpr int kEndBits = 5;
  static constexpr int kBits = 2 * kEndBits;
  static constexpr Sum kMask = (1 << kEndBits) - 1;

  Sum sum;
  Sum prefix;
  Sum suffix;
  Sum best;
};
static_assert(kWarpSize == 1 << ByteSums<int8_t>::kEndBits);
static_assert(int64_t{kByteTileBytes} << ByteSums<int8_t>::kBits <=
              (int64_t{1} << 31) / 128);
static_assert(int64_t{kByteTileBytes} << ByteSums<uint8_t>::kBits <=
              (int64_t{1} << 32) / 256);

// max(a + b, c), which Hopper has an instruction for. Sums may wrap around.
__device__ __forceinline__ int32_t AddMaximum(int32_t a, int32_t b, int32_t c) {
  return __viaddmax_s32(a, b, c);
}
__device__ __forceinline__ uint32_t AddMaximum(uint32_t a, uint32_t b,
                                               uint32_t c) {
  return __viaddmax_u32(a, b, c);
}

template <typename T>
struct ByteSumsFold {
  using Value = ByteSums<T>;

  static __device__ __forceinline__ Value Combine(const Value& a,
                                                  const Value& b) {
    using Sum = typename Value::Sum;
    return {static_cast<Sum>(static_cast<uint32_t>(a.sum) +
                             static_cast<uint32_t>(b.sum)),
            AddMaximum(a.sum, b.prefix, a.prefix),
            AddMaximum(a.suffix, b.sum, b.suffix),
            max(AddMaximum(a.suffix, b.prefix, a.best), b.best)};
  }
};

// Both halves of a row at the same time, in the halves of a word, with Hopper's
// instructions for dynamic programming. 136 bytes come to no less than -17,408.
__device__ __forceinline__ ByteSums<int8_t> SumsOfRow(
    const Vector<int8_t>* row) {
  constexpr int kWords = Vector<int8_t>::kWords;
  constexpr int kHalf = kByteRowVectors * kWords / 2;
  static_assert(kByteRowVectors * kWords % 2 == 0);
  constexpr unsigned kLowest = 0x80008000u;
  unsigned sum = 0, prefix = kLowest, suffix = 0, best = kLowest;
  Vector<int8_t> low{}, high = row[kHalf / kWords];
#pragma unroll
  for (int w = 0; w < kHalf; ++w) {
    if (w % kWords == 0) low = row[w / kWords];
    if ((w + kHalf) % kWords == 0) high = row[(w + kHalf) / kWords];
    const unsigned of_low = low.word[w % kWords];
    const unsigned of_high = high.word[(w + kHalf) % kWords];
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      // Byte k of both words. Where the upper bit of a selector is set, the
      // byte's sign is repeated.
      const auto pair = [&](int k) {
        unsigned both;
        asm("prmt.b32 %0, %1, %2, %3;"
            : "=r"(both)
            : "r"(of_low), "r"(of_high),
              "r"(k | (k + 8) << 4 | (k + 4) << 8 | (k + 12) << 12));
        return both;
      };
      const unsigned x = pair(k);
      const unsigned y = pair(k + 1);
      prefix = __viaddmax_s16x2(sum, x, prefix);
      sum = __vadd2(sum, x);
      prefix = __viaddmax_s16x2(sum, y, prefix);
      sum = __vadd2(sum, y);
      const unsigned ending = __viaddmax_s16x2(suffix, x, x);
      suffix = __viaddmax_s16x2(ending, y, y);
      best = __vimax3_s16x2(best, ending, suffix);
    }
  }
  const auto half = [](unsigned word, int shift) {
    return static_cast<int>(static_cast<int16_t>(word >> shift & 0xffffu));
  };
  const auto sums = [&](int shift) {
    return ByteSums<int8_t>{half(sum, shift), half(prefix, shift),
                            half(suffix, shift), half(best, shift)};
  };
  return ByteSumsFold<int8_t>::Combine(sums(0), sums(16));
}

// Nothing is below 0, so there is none larger than the whole.
__device__ __forceinline__ ByteSums<uint8_t> SumsOfRow(
    const Vector<uint8_t>* row) {
  unsigned sum = 0;
#pragma unroll
  for (int v = 0; v < kByteRowVectors; ++v) {
    const Vector<uint8_t> vector = row[v];
#pragma unroll
    for (const uint32_t word : vector.word) {
      sum = __dp4a(word, 0x01010101u, sum);
    }
  }
  return {sum, sum, sum, sum};
}

// Those of a lane's row, with its place.
template <typename T>
__device__ __forceinline__ ByteSums<T> WithPlaces(const ByteSums<T>& sums) {
  using Sums = ByteSums<T>;
  using Sum = typename Sums::Sum;
  constexpr Sum kOne = Sum{1} << Sums::kBits;
  const Sum end = kWarpSize - 1 - LaneId();
  const Sum begin = end << Sums::kEndBits;
  return {sums.sum * kOne, sums.prefix * kOne + end, sums.suffix * kOne + begin,
          sums.best * kOne + begin + end};
}

// Those of a tile, whose rows have numbers in the array.
template <typename T, typename Sum>
__device__ __forceinline__ Summary<Sum, uint32_t> WithNumbers(
    const ByteSums<T>& sums, unsigned tile) {
  using Sums = ByteSums<T>;
  const uint32_t last = tile * kWarpSize + kWarpSize - 1;
  const auto end = [&](typename Sums::Sum sum) {
    return last - static_cast<uint32_t>(sum & Sums::kMask);
  };
  const auto begin = [&](typename Sums::Sum sum) {
    return last - static_cast<uint32_t>(sum >> Sums::kEndBits & Sums::kMask);
  };
  const auto number = [](typename Sums::Sum sum) {
    return static_cast<Sum>(sum >> Sums::kBits);
  };
  return {number(sums.sum),  number(sums.prefix), number(sums.suffix),
          number(sums.best), end(sums.prefix),    begin(sums.suffix),
          begin(sums.best),  end(sums.best)};
}

// Elements that are not there become the lowest: they come before the first
// element and after the last, where a run that takes them in is no better than
// one in the same row, or an earlier one, that does not.
template <typename T>
__global__ void __launch_bounds__(kByteTileThreads,
                                  kByteTileBlocksPerMultiprocessor)
    SumByteTiles(Span<const T> in, ByteSums<T>* tiles) {
  LetNextGridStart();
  WaitForGridBefore();
  const int64_t tile = ByteTileOfWarp();
  if (tile * kByteTileBytes >= in.end) return;
  constexpr T kLowest = std::is_signed_v<T> ? -128 : 0;
  const ByteSums<T> sums = CombineWholeWarp<ByteSumsFold<T>>(
      WithPlaces(SumsOfRow(FetchByteRow(in, tile, kLowest))));
  if (LaneId() == 0) tiles[tile] = sums;
}

// So many a thread, which it combines first: of the values of 2^28 bytes, those
// of all blocks fit one more block.
inline constexpr int kTilesOfThread = 4;

// After it. `groups` and `arrivals` are for CombineInGroups.
template <typename T, typename Sum>
__global__ void __launch_bounds__(kFoldThreads)
    CombineByteTiles(Span<const T> in, const ByteSums<T>* tiles,
                     Summary<Sum, uint32_t>* groups, unsigned* arrivals,
                     Sum* sum, int64_t* run) {
  using Value = Summary<Sum, uint32_t>;
  LetNextGridStart();
  WaitForGridBefore();
  const auto count = static_cast<unsigned>(ByteTilesOf(in));
  const auto member = [&](unsigned i) {
    const unsigned first = i * kTilesOfThread;
    ByteSums<T> sums[kTilesOfThread];
#pragma unroll
    for (int k = 0; k < kTilesOfThread; ++k) {
      if (first + k < count) sums[k] = tiles[first + k];
    }
    Value value = WithNumbers<T, Sum>(sums[0], first);
#pragma unroll
    for (int k = 1; k < kTilesOfThread; ++k) {
      if (first + k < count) {
        value = Combine(value, WithNumbers<T, Sum>(sums[k], first + k));
      }
    }
    return value;
  };
  Value value{};
  if (CombineInGroups<SummaryFold<Sum>>(
          value, member, (count + kTilesOfThread - 1) / kTilesOfThread, groups,
          arrivals)) {
    StoreLocated(in, Rows{kByteRowBytes, 0}, value, sum, run);
  }
}

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_BYTES_CUH_
