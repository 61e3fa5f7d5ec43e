// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Folds arrays to one value, for files of kernels (simd.h), which include this
// file at their top: rows of 512 bytes are combined lane by lane, from the
// first to the last, then the lanes by halving. The order is a matter of
// element indices alone, so it is the same for every target.
//
// These are plain loops over the operators of core/operators.h. The compiler
// vectorises them; the lanes stay in the first-level cache, which is as fast
// here as registers: the loads of the rows set the pace.

namespace concord {
namespace CONCORD_SIMD {

template <typename T>
inline constexpr int kFoldLanes = 512 / sizeof(T);

// Combines 2 * kHalf values into the first by halving: value j takes in value
// j + kHalf, then j + kHalf / 2, and so on.
template <int kHalf, typename T, typename Op>
inline T Halve(T* values) {
  if constexpr (kHalf == 0) {
    return values[0];
  } else {
    for (int j = 0; j < kHalf; ++j) {
      values[j] = Op()(values[j], values[j + kHalf]);
    }
    return Halve<kHalf / 2, T, Op>(values);
  }
}

// The same when only the first `present` values are there; at least one.
template <int kHalf, typename T, typename Op>
inline T HalvePresent(T* values, int present) {
  for (int half = kHalf; half > 0; half /= 2) {
    const int pairs = std::min(present - half, half);
    for (int j = 0; j < pairs; ++j) {
      values[j] = Op()(values[j], values[j + half]);
    }
    present = std::min(present, half);
  }
  return values[0];
}

// Any n >= 1.
template <typename T, typename Op>
T Fold(const T* x, std::int64_t n) {
  constexpr int kRow = kFoldLanes<T>;
  T lanes[kRow];
  if (n < kRow) {
    for (int j = 0; j < n; ++j) lanes[j] = x[j];
    return HalvePresent<kRow / 2, T, Op>(lanes, static_cast<int>(n));
  }
  for (int j = 0; j < kRow; ++j) lanes[j] = x[j];
  std::int64_t i = kRow;
  for (; i + kRow <= n; i += kRow) {
    for (int j = 0; j < kRow; ++j) lanes[j] = Op()(lanes[j], x[i + j]);
  }
  for (int j = 0; i + j < n; ++j) lanes[j] = Op()(lanes[j], x[i + j]);
  return Halve<kRow / 2, T, Op>(lanes);
}

// results[s] = Fold of the s-th of kStreams adjacent arrays of `rows` rows
// each, all at the same time: the memory prefetchers of the CPU follow several
// streams better than one. Where pages change they need a hint: 1 KiB ahead is
// early enough and still in the same page most of the time.
template <typename T, typename Op, int kStreams>
void FoldStreams(const T* x, std::int64_t rows, T* results) {
  constexpr int kRow = kFoldLanes<T>;
  constexpr int kAhead = 1024 / sizeof(T);
  constexpr int kCacheLine = 64 / sizeof(T);
  T lanes[kStreams][kRow];
  for (int s = 0; s < kStreams; ++s) {
    for (int j = 0; j < kRow; ++j) lanes[s][j] = Op::Identity();
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int s = 0; s < kStreams; ++s) {
      const T* row = x + (s * rows + r) * kRow;
      for (int j = 0; j < kRow; j += kCacheLine) {
        __builtin_prefetch(row + kAhead + j);
      }
      for (int j = 0; j < kRow; ++j) {
        lanes[s][j] = Op()(lanes[s][j], row[j]);
      }
    }
  }
  for (int s = 0; s < kStreams; ++s) {
    results[s] = Halve<kRow / 2, T, Op>(lanes[s]);
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord
