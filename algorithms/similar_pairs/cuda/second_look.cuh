// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The second look: a warp computes each pair that the first one left, as the
// definition has it (distance.h). Then rows know how many pairs they have, a
// scan where theirs begin, and a warp for each row writes them.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_SECOND_LOOK_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_SECOND_LOOK_CUH_

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "concord/algorithms/similar_pairs/cuda/band.cuh"
#include "concord/algorithms/similar_pairs/distance.h"
#include "concord/backends/cuda/warp.cuh"

namespace concord::similar_pairs {

inline constexpr int kDecideThreads = kPanel;
inline constexpr int kScanThreads = 1024;
inline constexpr int kWriteThreads = 256;

// Adds the squares of up to 32 numbers, one in each lane, to a sum that all
// lanes have: in order, as rounding is a matter of it.
__device__ __forceinline__ void AddInOrder(double square, int count,
                                           double& sum) {
  if (count >= kWarpSize) {
#pragma unroll
    for (int lane = 0; lane < kWarpSize; ++lane) {
      sum += ShuffleFrom(square, lane);
    }
  } else {
    for (int lane = 0; lane < count; ++lane) sum += ShuffleFrom(square, lane);
  }
}

// All lanes get the sum of theirs: false where one of 128 bits is too small.
__device__ __forceinline__ bool AddLanes(unsigned __int128& sum) {
  using Exact = Squares<int64_t>;
  bool fits = true;
#pragma unroll
  for (int mask = kWarpSize / 2; mask > 0; mask /= 2) {
    const uint64_t high = ShuffleXor(static_cast<uint64_t>(sum >> 64), mask);
    const uint64_t low = ShuffleXor(static_cast<uint64_t>(sum), mask);
    fits &= Exact::Add(Exact::Sum{high} << 64 | low, sum);
  }
  return __all_sync(kWholeWarp, fits);
}

// Whether two sketches are within a limit, for all lanes of a warp, and `sum`
// is then their squared distance. Leaves off where they are not.
template <typename T>
__device__ __forceinline__ bool AreWithin(const T* a, const T* b, int64_t dim,
                                          typename Squares<T>::Sum limit,
                                          typename Squares<T>::Sum& sum) {
  sum = 0;
  bool fits = true;
  int64_t k = LaneId();
  T of_a = k < dim ? a[k] : T{0};
  T of_b = k < dim ? b[k] : T{0};
  for (int64_t first = 0; first < dim; first += kWarpSize) {
    const auto square = Squares<T>::Of(of_a, of_b);
    k += kWarpSize;
    // Under way while these are added.
    of_a = k < dim ? a[k] : T{0};
    of_b = k < dim ? b[k] : T{0};
    if constexpr (Squares<T>::kIsExact) {
      fits &= Squares<T>::Add(square, sum);
    } else {
      AddInOrder(square, static_cast<int>(min(dim - first, int64_t{kWarpSize})),
                 sum);
      if (!(sum <= limit)) return false;
    }
  }
  if constexpr (Squares<T>::kIsExact) {
    fits = __all_sync(kWholeWarp, fits);
    fits &= AddLanes(sum);
  }
  return fits && sum <= limit;
}

// Of the bits of a word of row `i`, those of sketches that are similar to it.
// Bit 0 is sketch `first`.
template <typename T>
__device__ __forceinline__ uint32_t DecideWord(uint32_t word, const T* rows,
                                               int64_t dim, int64_t i,
                                               int64_t first,
                                               typename Squares<T>::Sum limit) {
  uint32_t similar = 0;
  for (; word != 0; word &= word - 1) {
    const int bit = __ffs(static_cast<int>(word)) - 1;
    typename Squares<T>::Sum sum;
    if (AreWithin(rows + i * dim, rows + (first + bit) * dim, dim, limit,
                  sum)) {
      similar |= 1u << bit;
    }
  }
  return similar;
}

// The pairs that are left become those that are similar, and each row's are
// added to its count. Blocks take tiles in turn, of which a warp has 32 rows.
template <typename T>
__global__ void __launch_bounds__(kDecideThreads)
    Decide(const T* rows, int64_t dim, Band band,
           typename Squares<T>::Sum limit, uint32_t* counts) {
  const int64_t tiles = band.tiles();
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t row_panel = band.first + tile / band.width();
    const int64_t column_panel = band.first + tile % band.width();
    const uint32_t quarters =
        column_panel < row_panel ? 0 : *band.Quarters(tile);
    if (quarters == 0) continue;
    const int row = static_cast<int>(threadIdx.x);
    const uint4 words = band.LeftIn(tile, row, quarters);
    const uint32_t left[kTileWords] = {words.x, words.y, words.z, words.w};
    uint32_t similar[kTileWords] = {};
    const bool has_any = (words.x | words.y | words.z | words.w) != 0;
    for (unsigned lanes = __ballot_sync(kWholeWarp, has_any); lanes != 0;
         lanes &= lanes - 1) {
      const int lane = __ffs(static_cast<int>(lanes)) - 1;
      const int64_t i = row_panel * kPanel + WarpId() * kWarpSize + lane;
#pragma unroll
      for (int w = 0; w < kTileWords; ++w) {
        const uint32_t decided =
            DecideWord(ShuffleFrom(left[w], lane), rows, dim, i,
                       column_panel * kPanel + w * 32, limit);
        if (LaneId() == lane) similar[w] = decided;
      }
    }
    if (!has_any) continue;
    *reinterpret_cast<uint4*>(band.Words(tile, row)) =
        make_uint4(similar[0], similar[1], similar[2], similar[3]);
    int count = 0;
#pragma unroll
    for (int w = 0; w < kTileWords; ++w) count += __popc(similar[w]);
    if (count > 0) {
      atomicAdd(&counts[(row_panel - band.first) * kPanel + row], count);
    }
  }
}

// Where the pairs of each row begin: behind those of the bands before, which
// `count` has, and of the rows before. `count` then has this band's, too. One
// block.
static __global__ void __launch_bounds__(kScanThreads)
    ScanRows(const uint32_t* counts, int64_t rows, int64_t* begins,
             int64_t* count) {
  using Scan = cub::BlockScan<int64_t, kScanThreads>;
  __shared__ typename Scan::TempStorage scratch;
  constexpr int kEach = 4;
  int64_t before = *count;
  for (int64_t tile = 0; tile < rows; tile += kScanThreads * kEach) {
    const int64_t first = tile + threadIdx.x * kEach;
    int64_t sums[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      sums[i] = first + i < rows ? counts[first + i] : 0;
    }
    int64_t total;
    Scan(scratch).ExclusiveSum(sums, sums, total);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (first + i < rows) begins[first + i] = before + sums[i];
    }
    before += total;
    __syncthreads();  // before `scratch` is written again, and *count
  }
  if (threadIdx.x == 0) *count = before;
}

// What a run writes to.
struct PairsOut {
  int64_t* pairs;     // [room, 2]
  double* distances;  // [room], or null
  int64_t room;
};

// A warp for each row of the band goes through its tiles, 32 at a time.
static __global__ void __launch_bounds__(kWriteThreads)
    WritePairs(Band band, const uint32_t* counts, const int64_t* begins,
               PairsOut out) {
  const int64_t at =
      int64_t{blockIdx.x} * (kWriteThreads / kWarpSize) + WarpId();
  if (at >= band.rows() || counts[at] == 0) return;
  const int64_t row_panel = band.first + at / kPanel;
  const int row = static_cast<int>(at % kPanel);
  const int64_t end = begins[at] + counts[at];
  int64_t begin = begins[at];
  for (int64_t first = row_panel; begin < min(end, out.room);
       first += kWarpSize) {
    const int64_t column_panel = first + LaneId();
    const int64_t tile = band.TileAt(row_panel, column_panel);
    const uint4 words = band.LeftIn(
        tile, row, column_panel < band.panels ? *band.Quarters(tile) : 0);
    const uint32_t similar[kTileWords] = {words.x, words.y, words.z, words.w};
    int64_t sums[1] = {__popc(words.x) + __popc(words.y) + __popc(words.z) +
                       __popc(words.w)};
    const int64_t own = sums[0];
    WarpInclusiveScan<Add<int64_t>>(sums);
    int64_t place = begin + sums[0] - own;
#pragma unroll
    for (int w = 0; w < kTileWords; ++w) {
      for (uint32_t word = similar[w]; word != 0; word &= word - 1, ++place) {
        if (place >= out.room) break;
        out.pairs[2 * place] = band.first * kPanel + at;
        out.pairs[2 * place + 1] = column_panel * kPanel + w * 32 +
                                   (__ffs(static_cast<int>(word)) - 1);
      }
    }
    begin += ShuffleFrom(sums[0], kWarpSize - 1);
  }
}

// The distances of all pairs that were written. Warps take them in turn.
template <typename T>
__global__ void __launch_bounds__(kWriteThreads)
    WriteDistances(const T* rows, int64_t dim, typename Squares<T>::Sum limit,
                   PairsOut out, const int64_t* count) {
  constexpr int kWarps = kWriteThreads / kWarpSize;
  const int64_t end = min(*count, out.room);
  for (int64_t p = int64_t{blockIdx.x} * kWarps + WarpId(); p < end;
       p += int64_t{gridDim.x} * kWarps) {
    typename Squares<T>::Sum sum;
    AreWithin(rows + out.pairs[2 * p] * dim, rows + out.pairs[2 * p + 1] * dim,
              dim, limit, sum);
    if (LaneId() == 0) out.distances[p] = Squares<T>::Rounded(sum);
  }
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_SECOND_LOOK_CUH_
