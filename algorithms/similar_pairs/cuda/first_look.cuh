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

#include "concord/algorithms/similar_pairs/cuda/points.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::similar_pairs {

inline constexpr int kLookThreads = 256;
inline constexpr int kLookBlocks = 2;  // of a multiprocessor
// When no more threads have pairs left, the second look gets them.
inline constexpr int kFew = 8;
inline constexpr int kTileWords = kPanel / 32;  // of a row of a tile

// The bits of pairs that are left. Row panels [first, end) of it are compared
// with all panels from `first` on; tiles below the diagonal are not there.
struct Band {
  int64_t first;
  int64_t end;
  int64_t panels;
  // [end - first, panels - first, kPanel, kTileWords], of tiles that have any.
  uint32_t* bits;
  // [end - first, panels - first]: which those are.
  uint8_t* has_any;

  __host__ __device__ int64_t rows() const { return (end - first) * kPanel; }
  __host__ __device__ int64_t width() const { return panels - first; }
  __device__ __forceinline__ int64_t TileAt(int64_t row_panel,
                                            int64_t column_panel) const {
    return (row_panel - first) * width() + (column_panel - first);
  }
  __device__ __forceinline__ uint32_t* Words(int64_t tile, int row) const {
    return bits + (tile * kPanel + row) * kTileWords;
  }
};

// A walk through the tiles of a band on and above the diagonal, row by row.
struct TileWalk {
  int64_t row;
  int64_t column;

  __device__ __forceinline__ TileWalk After(int64_t steps,
                                            const Band& band) const {
    TileWalk next = {row, column + steps};
    while (next.row < band.end && next.column >= band.panels) {
      ++next.row;
      next.column += next.row - band.panels;
    }
    return next;
  }
};

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
  return LimitOf(points.scale->root, row, column, points.dim);
}

// The bits of sketches `first`, first + 1, ... first + 31 that are there and
// come after `row`.
__device__ __forceinline__ uint32_t BitsBehind(int64_t row, int64_t first,
                                               int64_t sketches) {
  const auto below = [first](int64_t sketch) {
    const int64_t bits = min(max(sketch - first, int64_t{0}), int64_t{32});
    return bits == 32 ? ~0u : (1u << bits) - 1;
  };
  return below(sketches) & ~below(row + 1);
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
                            points.sketches);
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
  const int64_t count = points.padded_dim / kSlab;
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
      band.has_any[band.TileAt(tile.row, tile.column)] = left > 0;
    }
    tile = next;
  }
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_FIRST_LOOK_CUH_
