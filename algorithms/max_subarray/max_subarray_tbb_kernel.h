// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of max_subarray_tbb.cc, compiled for each target of
// backends/tbb/simd.h.

#include "backends/tbb/simd_vector.h"

namespace concord {
namespace CONCORD_SIMD {

// What a lane counts in: exact for the sums of a leaf.
template <typename T>
using LaneOf = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<sizeof(T) == 1, std::int32_t,
                       std::conditional_t<sizeof(T) == 4, std::int64_t, T>>>;

// How many leaves a vector takes, one in each lane. The baseline cannot compare
// 64-bit integers and does better without vectors.
template <typename T>
inline constexpr int kLeavesOfVector = CONCORD_SIMD_BYTES == 16
                                           ? 1
                                           : CONCORD_SIMD_BYTES /
                                                 sizeof(LaneOf<T>);

// How many vectors take turns. A step of the loop waits for the one before, for
// so long that another vector's step fits in between; but the rows of bytes
// take all registers.
template <typename T>
inline constexpr int kVectors = CONCORD_SIMD_BYTES > 16 && sizeof(T) > 1 ? 2
                                                                         : 1;

template <typename T>
inline constexpr int kLeavesAtATime = kVectors<T>* kLeavesOfVector<T>;

template <typename T, int kCount>
struct VectorOfCount {
  typedef T Type __attribute__((vector_size(kCount * sizeof(T))));
};
template <typename T, int kCount>
using Row = typename VectorOfCount<T, kCount>::Type;

// The lanes a[0], b[0], a[1], b[1], ... from the first half of both rows, or
// from the second.
template <int kHalf, typename R, std::size_t... kLane>
inline R Interleave(R a, R b, std::index_sequence<kLane...>) {
  constexpr std::size_t kCount = sizeof...(kLane);
  return __builtin_shufflevector(
      a, b, (kLane / 2 + kHalf * kCount / 2 + kLane % 2 * kCount)...);
}

// Row i becomes what was in lane i of all rows. Each step is a riffle of the
// rows' first half with the second, which turns the bits of an element's place
// (row above lane) by one.
template <int kCount, typename R>
inline void Transpose(R (&rows)[kCount]) {
  using Lanes = std::make_index_sequence<kCount>;
#pragma GCC unroll 8
  for (int step = 1; step < kCount; step *= 2) {
    R riffled[kCount];
#pragma GCC unroll 16
    for (int i = 0; i < kCount / 2; ++i) {
      riffled[2 * i] = Interleave<0>(rows[i], rows[i + kCount / 2], Lanes());
      riffled[2 * i + 1] =
          Interleave<1>(rows[i], rows[i + kCount / 2], Lanes());
    }
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) rows[i] = riffled[i];
  }
}

// The same numbers in wider lanes. From bytes to words in two steps: GCC 12
// does one of four times the width element by element.
template <typename Lane, int kCount, typename R>
inline Vector<Lane> Widen(R row) {
  if constexpr (sizeof(Lane) == 4 * sizeof(row[0])) {
    using Half = Row<std::int16_t, kCount>;
    return __builtin_convertvector(__builtin_convertvector(row, Half),
                                   Vector<Lane>);
  } else {
    return __builtin_convertvector(row, Vector<Lane>);
  }
}

// Kadane's loop in every lane, without the places.
template <typename Lane>
struct LaneSums {
  using V = Vector<Lane>;
  V sum, prefix, suffix, best;

  void Start(V x) { sum = prefix = suffix = best = x; }

  void Append(V x) {
    sum += x;
    prefix = sum > prefix ? sum : prefix;
    if constexpr (std::is_floating_point_v<Lane>) {
      suffix = suffix < V{} ? x : suffix + x;
    } else {
      suffix = (suffix > V{} ? suffix : V{}) + x;
    }
    best = suffix > best ? suffix : best;
  }
};

// Summaries of kLeavesAtATime leaves of kLength elements each, one after the
// other in memory; the places are leaves, of which the first has this number.
template <typename T, int kLength>
void SummarizeLeaves(const T* in, std::int64_t number, LeafSummary<T>* out) {
  constexpr int kLeaves = kLeavesOfVector<T>;
  using Sum = SumOf<T>;
  if constexpr (kLeaves == 1) {
    *out = SummaryOfWholeLeaf(in, kLength, number);
  } else {
    using Lane = LaneOf<T>;
    // The leaves are too many streams for the CPU to fetch ahead by itself.
    constexpr int kCacheLine = 64;
    LaneSums<Lane> sums[kVectors<T>];
    for (int i = 0; i < kLength; i += kLeaves) {
      Row<T, kLeaves> rows[kVectors<T>][kLeaves];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors<T>; ++v) {
#pragma GCC unroll 16
        for (int j = 0; j < kLeaves; ++j) {
          const T* const from = in + (v * kLeaves + j) * kLength + i;
          if (i * sizeof(T) % kCacheLine == 0) {
            __builtin_prefetch(from + kLeavesAtATime<T> * kLength);
          }
          std::memcpy(&rows[v][j], from, sizeof(rows[v][j]));
        }
        Transpose(rows[v]);
      }
#pragma GCC unroll 16
      for (int j = 0; j < kLeaves; ++j) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors<T>; ++v) {
          const Vector<Lane> x = Widen<Lane, kLeaves>(rows[v][j]);
          if (j == 0 && i == 0) {
            sums[v].Start(x);
          } else {
            sums[v].Append(x);
          }
        }
      }
    }
    for (int leaf = 0; leaf < kLeavesAtATime<T>; ++leaf) {
      const LaneSums<Lane>& of = sums[leaf / kLeaves];
      const int lane = leaf % kLeaves;
      out[leaf] = SummaryOf(static_cast<Sum>(of.sum[lane]), number + leaf);
      out[leaf].prefix = static_cast<Sum>(of.prefix[lane]);
      out[leaf].suffix = static_cast<Sum>(of.suffix[lane]);
      out[leaf].best = static_cast<Sum>(of.best[lane]);
    }
  }
}

// The summary of the leaves [first, last) of the array, where only the last
// leaf of the array may be shorter than kLength.
template <typename T, int kLength>
LeafSummary<T> SummarizeRange(const T* in, std::int64_t n, std::int64_t first,
                              std::int64_t last) {
  constexpr int kLeaves = kLeavesAtATime<T>;
  TreeOfSummaries<T> tree;
  LeafSummary<T> summaries[kLeaves];
  const std::int64_t whole = std::min(last, n / kLength);
  std::int64_t leaf = first;
  for (; leaf + kLeaves <= whole; leaf += kLeaves) {
    SummarizeLeaves<T, kLength>(in + leaf * kLength, leaf, summaries);
    for (const LeafSummary<T>& summary : summaries) tree.Add(summary);
  }
  for (; leaf < last; ++leaf) {
    const std::int64_t begin = leaf * kLength;
    tree.Add(SummaryOfWholeLeaf(
        in + begin, std::min<std::int64_t>(n - begin, kLength), leaf));
  }
  return tree.Root();
}

}  // namespace CONCORD_SIMD
}  // namespace concord
