// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first look at all pairs of a band of panels by matrix units: sums of
// products in half precision (halves.cuh). A block compares two panels, and
// each of its four warps a quarter of their tile, 64 by 64 pairs. Slabs of 32
// numbers of both panels come to shared memory while those before them are
// multiplied. Sums begin with the weights of both rows, so that in the end
// their signs say which pairs are left.
//
// An 8 by 8 matrix is 128 adjacent bytes of shared memory, so loading one meets
// every bank once. From compute capability 8.0 on.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_MATRIX_LOOK_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_MATRIX_LOOK_CUH_

#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/band.cuh"
#include "concord/algorithms/similar_pairs/cuda/halves.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::similar_pairs {

inline constexpr int kMatrixThreads = kQuarters * kWarpSize;
inline constexpr int kMatrixBlocks = 2;  // of a multiprocessor
inline constexpr int kStages = 3;        // slabs on their way to shared memory
inline constexpr int kSlabOctets = kHalvesSlab / kOctet;

// One panel's part of a slab.
struct PanelSlab {
  uint4 octets[kSlabOctets][kPanel];
};

// Of so many slabs the row panel stays in shared memory, while one column panel
// after the other passes by: that halves what comes from the cache.
inline constexpr int64_t kMostResidentSlabs = 6;

inline bool IsResident(const Halves& halves) {
  return halves.shape.padded_dim <= kMostResidentSlabs * kHalvesSlab;
}
inline int64_t SharedBytesFor(const Halves& halves) {
  const int64_t of_rows =
      IsResident(halves) ? halves.shape.padded_dim / kHalvesSlab : kStages;
  return (of_rows + kStages) * static_cast<int64_t>(sizeof(PanelSlab));
}

// A block takes so many adjacent tiles at a time: as many as leave each block
// some turns.
inline constexpr int64_t kMostTilesOfTurn = 32;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

__device__ __forceinline__ uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Closes a group of asynchronous copies.
__device__ __forceinline__ void CommitSlab() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for all groups of this thread but the last.
__device__ __forceinline__ void WaitForAllSlabsButOne() {
  asm volatile("cp.async.wait_group 1;" ::: "memory");
}

// Starts to copy a slab of a panel.
__device__ __forceinline__ void FetchPanelSlab(const Halves& halves,
                                               int64_t panel, int64_t slab,
                                               PanelSlab& to) {
  const int place = static_cast<int>(threadIdx.x);
  static_assert(kMatrixThreads == kPanel);
#pragma unroll
  for (int octet = 0; octet < kSlabOctets; ++octet) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     SharedAddress(&to.octets[octet][place])),
                 "l"(halves.Octet(panel, slab * kSlabOctets + octet, place))
                 : "memory");
  }
}

// Four 8 by 8 matrices; lane l has the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void LoadMatrices(const uint4* row,
                                             uint32_t (&to)[4]) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(SharedAddress(row))
      : "memory");
}

// sums += a * b, 16 by 16 times 16 by 8.
__device__ __forceinline__ void MultiplyAdd(const uint32_t (&a)[4], uint32_t b0,
                                            uint32_t b1, float (&sums)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A warp's quarter of a tile: 4 by 8 blocks of 16 by 8 pairs. A lane has of
// each block the rows lane / 4 and that plus 8, and the columns 2 * (lane % 4)
// and the next: sums 0 and 1 of the first row, 2 and 3 of the second.
struct QuarterSums {
  static constexpr int kDown = kQuarter / 16;
  static constexpr int kAcross = kQuarter / 8;

  float sums[kDown][kAcross][4];

  // The first row and column of the quarter, in its tile.
  __device__ __forceinline__ static int Row() {
    return WarpId() / 2 * kQuarter;
  }
  __device__ __forceinline__ static int Column() {
    return WarpId() % 2 * kQuarter;
  }
  // Of this lane, in the block.
  __device__ __forceinline__ static int LaneRow() { return LaneId() / 4; }
  __device__ __forceinline__ static int LaneColumn() {
    return LaneId() % 4 * 2;
  }

  __device__ __forceinline__ void Begin(const Halves& halves,
                                        const TileWalk& tile) {
    const float* const rows =
        halves.weights + tile.row * kPanel + Row() + LaneRow();
    const float* const columns =
        halves.weights + tile.column * kPanel + Column() + LaneColumn();
    float2 of_columns[kAcross];
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      of_columns[j] = *reinterpret_cast<const float2*>(columns + 8 * j);
    }
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
      const float upper = rows[16 * i];
      const float lower = rows[16 * i + 8];
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        sums[i][j][0] = upper + of_columns[j].x;
        sums[i][j][1] = upper + of_columns[j].y;
        sums[i][j][2] = lower + of_columns[j].x;
        sums[i][j][3] = lower + of_columns[j].y;
      }
    }
  }

  __device__ __forceinline__ void Multiply(const PanelSlab& rows,
                                           const PanelSlab& columns) {
    const int matrix = LaneId() / 8;
    const int row = LaneId() % 8;
#pragma unroll
    for (int first = 0; first < kSlabOctets; first += 2) {
      uint32_t a[kDown][4];
      uint32_t b[kAcross / 2][4];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        LoadMatrices(&rows.octets[first + matrix / 2]
                                 [Row() + 16 * i + matrix % 2 * 8 + row],
                     a[i]);
      }
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        LoadMatrices(&columns.octets[first + matrix % 2]
                                    [Column() + 16 * j + matrix / 2 * 8 + row],
                     b[j]);
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          MultiplyAdd(a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1],
                      sums[i][j]);
        }
      }
    }
  }

  // Whether any lane of the warp has a sum without a sign.
  __device__ __forceinline__ bool HasAny() const {
    uint32_t signs = ~0u;
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int k = 0; k < 4; ++k) signs &= __float_as_uint(sums[i][j][k]);
      }
    }
    return __any_sync(kWholeWarp, signs >> 31 == 0);
  }

  // Writes all bits of the quarter: of the pairs that are left.
  __device__ __forceinline__ void WriteBits(const Halves& halves,
                                            const Band& band,
                                            const TileWalk& tile) const {
    const int64_t at = band.TileAt(tile.row, tile.column);
#pragma unroll
    for (int i = 0; i < 2 * kDown; ++i) {
      const int row = Row() + 8 * i + LaneRow();
#pragma unroll
      for (int w = 0; w < 2; ++w) {
        uint32_t word = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
          for (int k = 0; k < 2; ++k) {
            const float sum = sums[i / 2][4 * w + j][i % 2 * 2 + k];
            word |= (~__float_as_uint(sum) >> 31) << (8 * j + k);
          }
        }
        word <<= LaneColumn();
        word |= ShuffleXor(word, 1);
        word |= ShuffleXor(word, 2);
        if (LaneId() % 4 != i % 4) continue;
        const int column_word = Column() / 32 + w;
        band.Words(at, row)[column_word] =
            word & BitsBehind(tile.row * kPanel + row,
                              tile.column * kPanel + column_word * 32,
                              halves.shape.sketches);
      }
    }
  }
};

#endif

// Blocks of kMatrixThreads threads take the tiles of the band in turn. With
// kIsResident the row panel stays in shared memory, of which there are
// SharedBytesFor.
template <bool kIsResident>
__global__ void __launch_bounds__(kMatrixThreads, kMatrixBlocks)
    MatrixLook(Halves halves, Band band, int64_t of_turn) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ PanelSlab slabs[];
  const int64_t count = halves.shape.padded_dim / kHalvesSlab;
  PanelSlab* const row_slabs = slabs;
  PanelSlab* const column_slabs = slabs + (kIsResident ? count : kStages);
  TurnWalk walk = TurnWalk::Of(of_turn, band);
  // What is fetched next: two slabs before it is multiplied.
  TurnWalk ahead = walk;
  int64_t slab_ahead = 0;
  const auto fetch = [&](int stage) {
    if (!ahead.IsDone(band)) {
      if (!kIsResident) {
        FetchPanelSlab(halves, ahead.tile.row, slab_ahead, row_slabs[stage]);
      }
      FetchPanelSlab(halves, ahead.tile.column, slab_ahead,
                     column_slabs[stage]);
      if (++slab_ahead == count) {
        slab_ahead = 0;
        ahead.Step(band);
      }
    }
    CommitSlab();
  };
  for (int stage = 0; stage < kStages - 1; ++stage) fetch(stage);
  int stage = 0;
  int64_t resident = -1;
  for (; !walk.IsDone(band); walk.Step(band)) {
    const TileWalk& tile = walk.tile;
    if (kIsResident && tile.row != resident) {
      resident = tile.row;
      __syncthreads();  // nobody multiplies by the one before any more
      for (int64_t slab = 0; slab < count; ++slab) {
        FetchPanelSlab(halves, resident, slab, row_slabs[slab]);
      }
      WaitForCopies();
    }
    QuarterSums quarter;
    quarter.Begin(halves, tile);
    for (int64_t slab = 0; slab < count; ++slab) {
      WaitForAllSlabsButOne();
      __syncthreads();
      // Its slab has been multiplied before the barrier.
      fetch(stage == 0 ? kStages - 1 : stage - 1);
      quarter.Multiply(row_slabs[kIsResident ? slab : stage],
                       column_slabs[stage]);
      stage = stage == kStages - 1 ? 0 : stage + 1;
    }
    const bool has_any = quarter.HasAny();
    if (has_any) quarter.WriteBits(halves, band, tile);
    if (LaneId() == 0) {
      band.has_any[band.TileAt(tile.row, tile.column) * kQuarters + WarpId()] =
          has_any;
    }
  }
#endif
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_MATRIX_LOOK_CUH_
