// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Transposition in registers, for files of kernels (backends/tbb/simd.h).

#include "concord/backends/tbb/simd_vector.h"

namespace concord::sequence {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Vectors a and b of a square, kDistance rows apart: blocks of kDistance lanes
// that are off the diagonal change places.
template <int kDistance, typename T, std::size_t... kLane>
inline void SwapBlocks(Vector<T>& a, Vector<T>& b,
                       std::index_sequence<kLane...>) {
  constexpr int n = kLanes<T>;
  const Vector<T> first = __builtin_shufflevector(
      a, b, ((kLane & kDistance) == 0 ? kLane : n + kLane - kDistance)...);
  b = __builtin_shufflevector(
      a, b, ((kLane & kDistance) == 0 ? kLane + kDistance : n + kLane)...);
  a = first;
}

template <int kDistance, typename T>
inline void TransposeBlocks(Vector<T> (&square)[kLanes<T>]) {
  if constexpr (kDistance < kLanes<T>) {
#pragma GCC unroll 16
    for (int k = 0; k < kLanes<T>; ++k) {
      if ((k & kDistance) != 0) continue;
      SwapBlocks<kDistance, T>(square[k], square[k + kDistance],
                               std::make_index_sequence<kLanes<T>>());
    }
    TransposeBlocks<2 * kDistance, T>(square);
  }
}

// to[e * stride + r] = from[r * width + e] for as many whole squares of rows as
// there are. Returns how many rows that are. The width is a multiple of 128.
template <typename T>
std::int64_t TransposeRows(const T* from, std::int64_t rows, std::int64_t width,
                           T* to, std::int64_t stride) {
  std::int64_t r = 0;
  // Squares of bytes would have more vectors than there are registers.
  if constexpr (sizeof(T) > 1) {
    constexpr int kSide = kLanes<T>;
    for (; r + kSide <= rows; r += kSide) {
      for (std::int64_t e = 0; e < width; e += kSide) {
        Vector<T> square[kSide];
#pragma GCC unroll 16
        for (int k = 0; k < kSide; ++k) {
          square[k] = Load(from + (r + k) * width + e);
        }
        TransposeBlocks<1, T>(square);
#pragma GCC unroll 16
        for (int k = 0; k < kSide; ++k) {
          Store<T>(square[k], to + (e + k) * stride + r);
        }
      }
    }
  }
  return r;
}

// to[rows_reversed(r) + rows * columns_reversed(e)] = from[r * width + e], by
// tables of numbers in reverse order of their bits, for squares of both.
// Returns whether there are such.
template <typename T>
bool ReverseBitsOfSquares(const T* from, T* to, std::int64_t rows,
                          std::int64_t width, const std::int64_t* rows_reversed,
                          const std::int64_t* columns_reversed) {
  if constexpr (sizeof(T) == 1) {
    return false;
  } else {
    constexpr int kSide = kLanes<T>;
    if (rows < kSide || width < kSide) return false;
    for (std::int64_t r = 0; r < rows; r += kSide) {
      for (std::int64_t e = 0; e < width; e += kSide) {
        Vector<T> square[kSide];
#pragma GCC unroll 16
        for (int k = 0; k < kSide; ++k) {
          square[k] = Load(from + rows_reversed[r + k] * width + e);
        }
        TransposeBlocks<1, T>(square);
#pragma GCC unroll 16
        for (int k = 0; k < kSide; ++k) {
          Store<T>(square[k], to + columns_reversed[e + k] * rows + r);
        }
      }
    }
    return true;
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::sequence
