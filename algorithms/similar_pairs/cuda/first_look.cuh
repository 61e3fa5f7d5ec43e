// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first look at all pairs of a band of panels: sums of squares in single
// precision, as a matrix product has its sums of products. A block compares two
// panels, 128 by 128 rows, and each of its 256 threads 8 by 8 of them. Slabs of
// 8 numbers of both panels come to shared memory while those before them are
// added. After each slab the block looks whether any pair is left, and leaves
// off if none is. If hardly any are, it leaves off as well and lets the second
// look have them.
//
// What is left becomes bits, which the second look (second_look.cuh) finds by
// the tiles that have any.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_FIRST_LOOK_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_FIRST_LOOK_CUH_

#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/band.cuh"
#include "concord/algorithms/similar_pairs/cuda/points.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::similar_pairs {

// Points have a multiple of so many numbers: of so many a block adds squares
// before it looks whether any pair is left.
inline constexpr int kSlab = 8;
// Rows that share an error.
inline constexpr int kErrorRows = 4;
inline constexpr int kErrors = kPanel / kErrorRows;  // of a panel

// Points in single precision.
struct Points {
  using Number = float;
  static constexpr int kUsual = similar_pairs::kUsual;
  static constexpr int kPadding = kSlab;
  static constexpr int kFloats = kErrors;

  Shape shape;
  float* numbers;  // [panels, padded_dim, kPanel]
  float* errors;   // [panels, kErrors]

  // Number k of the rows of a panel.
  __device__ __forceinline__ float* Row(int64_t panel, int64_t k) const {
    return numbers + (panel * shape.padded_dim + k) * kPanel;
  }

  __device__ float Rounded(double half, double scale) const {
    return PointOf(half, scale);
  }
  __device__ void Store(int64_t panel, int64_t k, int place, float x) const {
    Row(panel, k)[place] = x;
  }
  __device__ void Finish(int64_t panel, int place, bool is_far,
                         double squares) const {
    if (is_far) Row(panel, 0)[place] = kFarAway;
    double largest = is_far ? 0 : squares;
    for (int mask = kErrorRows / 2; mask > 0; mask /= 2) {
      largest = fmax(largest, ShuffleXor(largest, mask));
    }
    if (place % kErrorRows != 0) return;
    errors[panel * kErrors + place / kErrorRows] =
        __double2float_ru(ErrorOf(largest, shape.dim));
  }
};

inline constexpr int kLookThreads = 256;
inline constexpr int kLookBlocks = 2;  // of a multiprocessor
// When no more threads have pairs left, the second look gets them.
inline constexpr int kFew = 8;
// Starts to copy slab `slab` of both panels of a tile.
__device__ __forceinline__ void FetchSlab(const Points& points,
                                          const TileWalk& tile, int64_t slab,
                                          Vector<float> (*to)[kLookThreads]) {
  constexpr int64_t kNumbers = int64_t{kSlab} * kPanel;
  static_assert(kNumbers == kLookThreads * Vector<float>::kLanes);
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t panels[2] = {tile.row, tile.column};
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const Span<const float> span = {points.Row(panels[side], slab * kSlab), 0,
                                    kNumbers};
    CopyVectorAsync(&to[side][thread], span,
                    int64_t{thread} * Vector<float>::kLanes);
  }
}

// Which rows and columns of a tile a thread has: of each panel four from
// `first` on and four from `second` on, as places of 4-row vectors.
struct ThreadPlace {
  int row_vectors[2];
  int column_vectors[2];

  // A warp has 32 rows and 64 columns, so that what its lanes load from shared
  // memory at once is in different banks, or the same.
  __device__ __forceinline__ static ThreadPlace Of() {
    const int row = WarpId() / 2 * 8 + LaneId() / 8;
    const int column = WarpId() % 2 * 16 + LaneId() % 8;
    return {{row, row + 4}, {column, column + 8}};
  }
};

__device__ __forceinline__ void AddSlab(
    const Vector<float> (*slab)[kLookThreads], const ThreadPlace& place,
    float (&sums)[8][8]) {
#pragma unroll
  for (int k = 0; k < kSlab; ++k) {
    Vector<float> a[2], b[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      a[half] = slab[0][k * (kPanel / 4) + place.row_vectors[half]];
      b[half] = slab[1][k * (kPanel / 4) + place.column_vectors[half]];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float apart = a[i / 4].lane(i % 4) - b[j / 4].lane(j % 4);
        sums[i][j] = __fmaf_rn(apart, apart, sums[i][j]);
      }
    }
  }
}

__device__ __forceinline__ float LeastOf(const float (&sums)[8][8]) {
  float least[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    least[i] = sums[i][0];
#pragma unroll
    for (int j = 1; j < 8; ++j) least[i] = fminf(least[i], sums[i][j]);
  }
#pragma unroll
  for (int half = 4; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < half; ++i) least[i] = fminf(least[i], least[i + half]);
  }
  return least[0];
}

// For the rows and columns of this thread.
__device__ __forceinline__ float LimitOfThread(const Points& points,
                                               const TileWalk& tile,
                                               const ThreadPlace& place) {
  const float* const rows = points.errors + tile.row * kErrors;
  const float* const columns = points.errors + tile.column * kErrors;
  const float row =
      fmaxf(rows[place.row_vectors[0]], rows[place.row_vectors[1]]);
  const float column =
      fmaxf(columns[place.column_vectors[0]], columns[place.column_vectors[1]]);
  return LimitOf(points.shape.scale->root, row, column, points.shape.dim);
}

// Writes all bits of the tile: of the pairs that are left.
__device__ __forceinline__ void WriteBits(
    const Points& points, const Band& band, const TileWalk& tile,
    const ThreadPlace& place, const float (&sums)[8][8], float limit) {
  const int64_t at = band.TileAt(tile.row, tile.column);
  const int lane = LaneId() % 8;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = place.row_vectors[i / 4] * 4 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t word = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        word |= static_cast<uint32_t>(sums[i][half * 4 + j] <= limit) << j;
      }
      // Eight lanes have four columns each of the same 32.
      word <<= 4 * lane;
#pragma unroll
      for (int mask = 1; mask < 8; mask *= 2) word |= ShuffleXor(word, mask);
      if (lane != i) continue;
      const int column_word = WarpId() % 2 * 2 + half;
      band.Words(at, row)[column_word] =
          word & BitsBehind(tile.row * kPanel + row,
                            tile.column * kPanel + column_word * 32,
                            points.shape.sketches);
    }
  }
}

// Blocks of kLookThreads threads take the tiles of the band in turn.
static __global__ void __launch_bounds__(kLookThreads, kLookBlocks)
    FirstLook(Points points, Band band) {
  // The first slabs of this tile and of the next one; then further slabs of
  // this one, even and odd ones.
  __shared__ Vector<float> slabs[4][2][kLookThreads];
  const ThreadPlace place = ThreadPlace::Of();
  const int64_t count = points.shape.padded_dim / kSlab;
  TileWalk tile = TileWalk{band.first, band.first}.After(blockIdx.x, band);
  if (tile.row >= band.end) return;
  FetchSlab(points, tile, 0, slabs[0]);
  WaitForCopies();
  __syncthreads();
  for (int turn = 0; tile.row < band.end; turn ^= 1) {
    const TileWalk next = tile.After(gridDim.x, band);
    if (next.row < band.end) FetchSlab(points, next, 0, slabs[turn ^ 1]);
    const float limit = LimitOfThread(points, tile, place);
    float sums[8][8] = {};
    int left = 0;
    for (int64_t slab = 0; slab < count; ++slab) {
      if (slab + 1 < count) {
        FetchSlab(points, tile, slab + 1, slabs[2 + (slab + 1) % 2]);
      }
      AddSlab(slabs[slab == 0 ? turn : 2 + slab % 2], place, sums);
      const bool has_any = LeastOf(sums) <= limit;
      WaitForCopies();
      left = __syncthreads_count(has_any);
      if (left <= kFew) break;
    }
    if (left > 0) WriteBits(points, band, tile, place, sums, limit);
    if (threadIdx.x == 0) {
      *band.Quarters(band.TileAt(tile.row, tile.column)) = left > 0 ? ~0u : 0;
    }
    tile = next;
  }
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_FIRST_LOOK_CUH_
