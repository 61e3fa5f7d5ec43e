// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Counts how often each value of the lower half of a spectrum occurs by
// transforms, which take as long however many pieces there are. In a row,
// element s says how many of the sums of the masses up to each of them are s.
// Pieces of value v are pairs of sums that are v apart, or the total less v:
// the autocorrelation of the row at both lags.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_LAGS_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_LAGS_CUH_

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/autocorrelation.cuh"
#include "concord/algorithms/cyclospectrum/cuda/block_scan.cuh"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::cyclospectrum {

inline constexpr int kFillThreads = 256;

// Clears a row of so many vectors and fills the tables of the roots.
static __global__ void __launch_bounds__(kFillThreads)
    PrepareRow(uint4* row, int64_t vectors, Roots roots, uint32_t words) {
  LetNextGridStart();
  WaitForGridBefore();
  const int64_t i = blockIdx.x * int64_t{kFillThreads} + threadIdx.x;
  if (i < vectors) row[i] = uint4{};
  if (i < words) roots.words()[i] = roots.Word(static_cast<uint32_t>(i));
}

// A byte holds how many sums are equal.
template <typename T>
__global__ void __launch_bounds__(kFillThreads)
    FillRow(DeviceCircle<T> circle, uint32_t* row) {
  LetNextGridStart();
  WaitForGridBefore();
  const int64_t i = blockIdx.x * int64_t{kFillThreads} + threadIdx.x;
  if (i >= circle.n) return;
  const auto sum = static_cast<uint32_t>(circle.sums[i]);
  // A sum is the total where only masses of 0 follow. On the circle it is 0.
  const uint32_t at = sum == circle.total ? 0 : sum;
  atomicAdd(row + at / 4, 1u << at % 4 * 8);
}

inline constexpr int kSumThreads = 256;
inline constexpr int kSumRows = 16;
inline constexpr int64_t kSumItems = kSumThreads * kSumRows;

// counts[v] becomes how often value v occurs, for v < values, the lower half,
// and sums[i] the sum of those of block i.
static __global__ void __launch_bounds__(kSumThreads)
    CountLags(Lags lags, uint32_t n, uint32_t total, int64_t values,
              uint32_t* counts, int64_t* sums) {
  LetNextGridStart();
  WaitForGridBefore();
  int64_t sum = 0;
#pragma unroll
  for (int row = 0; row < kSumRows; ++row) {
    const int64_t i = blockIdx.x * kSumItems + row * kSumThreads + threadIdx.x;
    if (i >= values) continue;
    const auto value = static_cast<uint32_t>(i);
    const uint32_t near = lags.At(value);
    // The piece of no masses, and of any two between equal sums the one that
    // does not go around.
    const uint32_t count = value == 0
                               ? 1 + (near - n) / 2
                               : Less(near + lags.At(total - value), kPrime);
    counts[value] = count;
    sum += count;
  }
  sum = SumByWarps<kSumThreads>(sum).all;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// offsets[v] becomes the number of elements of the spectrum below v, for
// v = 0, ..., values.
static __global__ void __launch_bounds__(kSumThreads, 4)
    SumCounts(const uint32_t* counts, int64_t values, const int64_t* sums,
              int64_t* offsets) {
  LetNextGridStart();
  WaitForGridBefore();
  // Each warp has rows of its own, one behind the other.
  const int64_t begin =
      blockIdx.x * kSumItems + WarpId() * (kSumRows * kWarpSize) + LaneId();
  uint32_t own[kSumRows];
#pragma unroll
  for (int row = 0; row < kSumRows; ++row) {
    const int64_t i = begin + row * kWarpSize;
    own[row] = i < values ? counts[i] : 0;
  }
  int64_t before = 0;
#pragma unroll 4
  for (int64_t i = threadIdx.x; i < blockIdx.x; i += kSumThreads) {
    before += sums[i];
  }
  before = SumByWarps<kSumThreads>(before).all;
  int64_t sum = 0;
#pragma unroll
  for (int row = 0; row < kSumRows; ++row) sum += own[row];
  before += SumByWarps<kSumThreads>(sum).before;
#pragma unroll
  for (int row = 0; row < kSumRows; ++row) {
    const int64_t i = begin + row * kWarpSize;
    int64_t scanned[1] = {own[row]};
    WarpInclusiveScan<Add<int64_t>>(scanned);
    if (i < values) offsets[i] = before + scanned[0] - own[row];
    before += ShuffleFrom(scanned[0], kWarpSize - 1);
    // The place behind all values.
    if (i == values - 1) offsets[values] = before;
  }
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_COUNT_LAGS_CUH_
