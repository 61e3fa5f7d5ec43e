// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the first look leaves to the second: a bit for each pair of a band of
// panels.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_BAND_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_BAND_CUH_

#include <cstdint>

namespace concord::similar_pairs {

// Rows of a panel, whose numbers stand together. A tile is the pairs of two
// panels.
inline constexpr int kPanel = 128;
inline constexpr int kTileWords = kPanel / 32;  // of a row of a tile
// Tiles have four quarters of 64 by 64 pairs, row by row.
inline constexpr int kQuarters = 4;
inline constexpr int kQuarter = kPanel / 2;

// Row panels [first, end) of it are compared with all panels from `first` on.
// Tiles below the diagonal are not there.
struct Band {
  int64_t first;
  int64_t end;
  int64_t panels;
  // [end - first, panels - first, kPanel, kTileWords], of quarters that have
  // any.
  uint32_t* bits;
  // [end - first, panels - first, kQuarters]: which those are.
  uint8_t* has_any;

  __host__ __device__ int64_t rows() const { return (end - first) * kPanel; }
  __host__ __device__ int64_t width() const { return panels - first; }
  __host__ __device__ int64_t tiles() const { return (end - first) * width(); }
  __device__ __forceinline__ int64_t TileAt(int64_t row_panel,
                                            int64_t column_panel) const {
    return (row_panel - first) * width() + (column_panel - first);
  }
  __device__ __forceinline__ uint32_t* Words(int64_t tile, int row) const {
    return bits + (tile * kPanel + row) * kTileWords;
  }
  // A byte for each quarter.
  __device__ __forceinline__ uint32_t* Quarters(int64_t tile) const {
    return reinterpret_cast<uint32_t*>(has_any) + tile;
  }
  // The words of a row: none in quarters that have no bits. `quarters` is what
  // Quarters has.
  __device__ __forceinline__ uint4 LeftIn(int64_t tile, int row,
                                          uint32_t quarters) const {
    const uint32_t halves = quarters >> (row / kQuarter * 16);
    uint4 words = make_uint4(0, 0, 0, 0);
    if ((halves & 0xffff) == 0) return words;
    words = *reinterpret_cast<const uint4*>(Words(tile, row));
    if ((halves & 0xff) == 0) words.x = words.y = 0;
    if ((halves & 0xff00) == 0) words.z = words.w = 0;
    return words;
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

// The tiles of one block: turns of `of_turn` adjacent ones.
struct TurnWalk {
  TileWalk tile;
  int64_t of_turn;
  int64_t left;  // of this turn

  __device__ __forceinline__ static TurnWalk Of(int64_t of_turn,
                                                const Band& band) {
    return {TileWalk{band.first, band.first}.After(blockIdx.x * of_turn, band),
            of_turn, of_turn};
  }
  __device__ __forceinline__ bool IsDone(const Band& band) const {
    return tile.row >= band.end;
  }
  __device__ __forceinline__ void Step(const Band& band) {
    int64_t steps = 1;
    if (--left == 0) {
      left = of_turn;
      steps += (gridDim.x - 1) * of_turn;
    }
    tile = tile.After(steps, band);
  }
};

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

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_BAND_CUH_
