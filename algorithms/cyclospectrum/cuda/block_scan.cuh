// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_BLOCK_SCAN_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_BLOCK_SCAN_CUH_

#include <cstdint>

#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::cyclospectrum {

// What the warps of a block sum up to.
template <typename Sum>
struct SumsOfWarps {
  Sum before;  // of those before the calling thread's
  Sum all;
};

// A whole block of kThreads calls it, each with a value of its own.
template <int kThreads, typename Sum>
__device__ SumsOfWarps<Sum> SumByWarps(Sum value) {
  constexpr int kWarps = kThreads / kWarpSize;
  __shared__ Sum sums[kWarps];
  value = WarpReduce<Add<Sum>>(value);
  __syncthreads();  // the sums before these have been read
  if (LaneId() == 0) sums[WarpId()] = value;
  __syncthreads();
  SumsOfWarps<Sum> result{0, 0};
  for (int warp = 0; warp < kWarps; ++warp) {
    result.before += warp < WarpId() ? sums[warp] : Sum{0};
    result.all += sums[warp];
  }
  return result;
}

// Calls store(i, load(0) + ... + load(i - 1), sum of all) for 0 <= i < count,
// and returns that sum. A whole block of kThreads calls it; each warp adds up
// and then scans a stretch of its own. The same thread loads i, twice, and then
// stores it.
template <int kThreads, typename Sum, typename Load, typename Store>
__device__ Sum ScanByBlock(int64_t count, const Load& load,
                           const Store& store) {
  const int64_t rows = (count + kThreads - 1) / kThreads;
  const int64_t begin = WarpId() * rows * kWarpSize;
  const int64_t end = min(begin + rows * kWarpSize, count);
  Sum sum = 0;
#pragma unroll 4
  for (int64_t i = begin + LaneId(); i < end; i += kWarpSize) sum += load(i);
  const SumsOfWarps<Sum> sums = SumByWarps<kThreads>(sum);
  Sum before = sums.before;
  // Rows that are loaded, and then scanned, at the same time.
  constexpr int kRows = 4;
  for (int64_t first = begin; first < end; first += kRows * kWarpSize) {
    Sum own[kRows];
    Sum scanned[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const int64_t i = first + row * kWarpSize + LaneId();
      own[row] = i < end ? static_cast<Sum>(load(i)) : Sum{0};
      scanned[row] = own[row];
    }
    WarpInclusiveScan<Add<Sum>>(scanned);
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const int64_t i = first + row * kWarpSize + LaneId();
      if (i < end) store(i, before + scanned[row] - own[row], sums.all);
      before += ShuffleFrom(scanned[row], kWarpSize - 1);
    }
  }
  return sums.all;
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_BLOCK_SCAN_CUH_
