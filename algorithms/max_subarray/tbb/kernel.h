// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of fused.cc, compiled for each target of backends/tbb/simd.h.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::max_subarray {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// What a lane counts in: exact for the sums of a leaf. Bytes: bytes.h.
template <typename T>
using LaneOf =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<sizeof(T) == 8, T, std::int64_t>>;

// The baseline cannot compare 64-bit integers and does better without vectors.
inline constexpr bool kInVectors = CONCORD_SIMD_BYTES > 16;

// How many leaves a vector takes, one in each lane: lanes of bytes have 16
// bits.
template <typename T>
inline constexpr int kLeavesOfVector =
    !kInVectors ? 1
                : CONCORD_SIMD_BYTES / (sizeof(T) == 1 ? 2 : sizeof(LaneOf<T>));

// How many vectors take turns. A step of the loop waits for the one before, for
// so long that another vector's step fits in between; bytes have enough else to
// do.
template <typename T>
inline constexpr int kVectors = kInVectors && sizeof(T) > 1 ? 2 : 1;

template <typename T>
inline constexpr int kLeavesAtATime = kVectors<T>* kLeavesOfVector<T>;

template <typename T, int kCount>
struct VectorOfCount {
  typedef T Type __attribute__((vector_size(kCount * sizeof(T))));
};
template <typename T, int kCount>
using Row = typename VectorOfCount<T, kCount>::Type;

// In each part of kPart lanes, the lanes a[0], b[0], a[1], b[1], ... from the
// first half of the parts of both rows, or from the second.
template <int kPart, int kHalf, typename R, std::size_t... kLane>
inline R Interleave(R a, R b, std::index_sequence<kLane...>) {
  constexpr std::size_t kCount = sizeof...(kLane);
  return __builtin_shufflevector(a, b,
                                 (kLane / kPart * kPart + kLane % kPart / 2 +
                                  kHalf * kPart / 2 + kLane % 2 * kCount)...);
}

// The rows are squares of kPart x kPart side by side, and each is transposed:
// in a square, row i becomes what was in lane i of all rows. Each step is a
// riffle of the rows' first half with the second, which turns the bits of an
// element's place (row above lane) by one.
template <int kCount, int kPart, typename R>
inline void Transpose(R (&rows)[kPart]) {
  using Lanes = std::make_index_sequence<kCount>;
#pragma GCC unroll 8
  for (int step = 1; step < kPart; step *= 2) {
    R riffled[kPart];
#pragma GCC unroll 16
    for (int i = 0; i < kPart / 2; ++i) {
      riffled[2 * i] =
          Interleave<kPart, 0>(rows[i], rows[i + kPart / 2], Lanes());
      riffled[2 * i + 1] =
          Interleave<kPart, 1>(rows[i], rows[i + kPart / 2], Lanes());
    }
#pragma GCC unroll 16
    for (int i = 0; i < kPart; ++i) rows[i] = riffled[i];
  }
}

// Kadane's loop in every lane, without the places. For integers as the largest
// difference of two prefix sums: so a step waits for one operation of the step
// before, not for two. Each such difference is the sum of a run.
template <typename Lane>
struct LaneSums {
  using V = Vector<Lane>;
  V sum, prefix, best;
  V suffix;  // of floats; integers have the least prefix sum before the last
  V least;

  void Start(V x) {
    sum = prefix = suffix = best = x;
    least = V{};
  }

  void Append(V x) {
    if constexpr (std::is_floating_point_v<Lane>) {
      sum += x;
      suffix = suffix < V{} ? x : suffix + x;
    } else {
      least = sum < least ? sum : least;
      sum += x;
      suffix = sum - least;
    }
    prefix = sum > prefix ? sum : prefix;
    best = suffix > best ? suffix : best;
  }
};

}  // namespace CONCORD_SIMD
}  // namespace concord::max_subarray

#include "concord/algorithms/max_subarray/tbb/bytes.h"

namespace concord::max_subarray {
namespace CONCORD_SIMD {

// Summaries of kLeavesAtATime leaves of kLength elements each, one after the
// other in memory; the places are leaves, of which the first has this number.
template <typename T, int kLength>
void SummarizeLeaves(const T* in, std::int64_t number, LeafSummary<T>* out) {
  constexpr int kLeaves = kLeavesOfVector<T>;
  using Sum = SumOf<T>;
  if constexpr (kLeaves == 1) {
    *out = SummaryOfWholeLeaf(in, kLength, number);
  } else if constexpr (sizeof(T) == 1) {
    SummarizeByteLeaves<T, kLength>(in, number, out);
  } else {
    using Lane = LaneOf<T>;
    // The leaves are too many streams for the CPU to fetch ahead by itself. As
    // much of the next ones as is gone through of these, from the first to the
    // last element.
    constexpr int kLine = 64 / sizeof(T);
    LaneSums<Lane> leaves[kVectors<T>];
    for (int i = 0; i < kLength; i += kLeaves) {
      const T* const next = in + kLeavesAtATime<T> * (kLength + i);
#pragma GCC unroll 32
      for (int j = 0; j < kLeavesAtATime<T> * kLeaves; j += kLine) {
        __builtin_prefetch(next + j);
      }
      Row<T, kLeaves> rows[kVectors<T>][kLeaves];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors<T>; ++v) {
#pragma GCC unroll 16
        for (int j = 0; j < kLeaves; ++j) {
          std::memcpy(&rows[v][j], in + (v * kLeaves + j) * kLength + i,
                      sizeof(rows[v][j]));
        }
        Transpose<kLeaves>(rows[v]);
      }
#pragma GCC unroll 16
      for (int j = 0; j < kLeaves; ++j) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors<T>; ++v) {
          const auto x = __builtin_convertvector(rows[v][j], Vector<Lane>);
          if (j == 0 && i == 0) {
            leaves[v].Start(x);
          } else {
            leaves[v].Append(x);
          }
        }
      }
    }
    for (int leaf = 0; leaf < kLeavesAtATime<T>; ++leaf) {
      const LaneSums<Lane>& of = leaves[leaf / kLeaves];
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
    if constexpr (kInVectors && sizeof(T) == 1) {
      AddByteLeaves<T, kLength>(in + leaf * kLength, leaf, tree);
    } else {
      SummarizeLeaves<T, kLength>(in + leaf * kLength, leaf, summaries);
      for (const LeafSummary<T>& summary : summaries) tree.Add(summary);
    }
  }
  // What is left goes through the same loop, completed by zeros in memory that
  // may be read, unless that takes longer than a few leaves by elements.
  const std::int64_t left = whole - leaf;
  if (left > kLeaves / 8) {
    T copy[kLeaves * kLength] = {};
    std::memcpy(copy, in + leaf * kLength, left * kLength * sizeof(T));
    SummarizeLeaves<T, kLength>(copy, leaf, summaries);
    for (int i = 0; i < left; ++i) tree.Add(summaries[i]);
    leaf = whole;
  }
  for (; leaf < last; ++leaf) {
    const std::int64_t begin = leaf * kLength;
    tree.Add(SummaryOfWholeLeaf(
        in + begin, std::min<std::int64_t>(n - begin, kLength), leaf));
  }
  return tree.Root();
}

}  // namespace CONCORD_SIMD
}  // namespace concord::max_subarray
