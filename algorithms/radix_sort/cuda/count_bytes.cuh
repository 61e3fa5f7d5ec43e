// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys of one byte need not be moved: it is enough to count each value and to
// write it as often.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_COUNT_BYTES_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_COUNT_BYTES_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::radix_sort {

// Device memory that is kept from call to call, all zero between calls.
struct ByteCounts {
  unsigned long long counts[kDigits];
  unsigned blocks_arrived;
};

// Each value has a counter in every bank of shared memory. A lane counts in its
// own bank, so lanes of a warp never wait for each other, and no distribution
// of keys is slower than another.
inline constexpr int kByteThreads = 1024;
inline constexpr int kByteLoads = 4;

struct ByteMemory {
  uint32_t of_lanes[kDigits][kWarpSize];
  uint32_t sums[kDigits];

  // Adds the block's counts to those of all. Neighbouring threads add to
  // neighbouring places: one access to memory for each warp.
  __device__ __forceinline__ void AddTo(ByteCounts* counts) {
    for (int value = WarpId(); value < kDigits;
         value += kByteThreads / kWarpSize) {
      const uint32_t sum = WarpReduce<Add<uint32_t>>(of_lanes[value][LaneId()]);
      if (LaneId() == 0) sums[value] = sum;
    }
    __syncthreads();
    if (threadIdx.x < kDigits && sums[threadIdx.x] != 0) {
      atomicAdd(&counts->counts[threadIdx.x],
                static_cast<unsigned long long>(sums[threadIdx.x]));
    }
  }
};

// A block has fewer than 2^32 keys for its share, as in plan.cuh.
template <typename Bits>
__global__ void __launch_bounds__(kByteThreads, 1)
    CountBytes(Span<const Bits> keys, ByteCounts* counts) {
  __shared__ ByteMemory memory;
  LetNextGridStart();
  for (int value = WarpId(); value < kDigits;
       value += kByteThreads / kWarpSize) {
    memory.of_lanes[value][LaneId()] = 0;
  }
  __syncthreads();
  WaitForGridBefore();
  const auto count = [&](Bits key) {
    atomicAdd(&memory.of_lanes[key][LaneId()], 1u);
  };
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  const int64_t row = int64_t{gridDim.x} * kByteThreads * kLanes;
  int64_t at = (int64_t{blockIdx.x} * kByteThreads + threadIdx.x) * kLanes;
  while (at < keys.end) {
    if (keys.HoldsVectors(at, (kByteLoads - 1) * row + kLanes)) {
      Vector<Bits> vectors[kByteLoads];
#pragma unroll
      for (int load = 0; load < kByteLoads; ++load) {
        vectors[load] = LoadVector(keys, at + load * row);
      }
#pragma unroll
      for (int load = 0; load < kByteLoads; ++load) {
#pragma unroll
        for (int k = 0; k < kLanes; ++k) count(vectors[load].lane(k));
      }
      at += kByteLoads * row;
    } else if (keys.HoldsVectors(at, kLanes)) {
      const Vector<Bits> vector = LoadVector(keys, at);
#pragma unroll
      for (int k = 0; k < kLanes; ++k) count(vector.lane(k));
      at += row;
    } else {
      for (int64_t i = max(at, keys.begin); i < min(at + kLanes, keys.end);
           ++i) {
        count(keys.base[i]);
      }
      at += row;
    }
  }
  __syncthreads();
  memory.AddTo(counts);
}

inline constexpr int kByteRunThreads = 512;

template <typename Bits>
__global__ void __launch_bounds__(kByteRunThreads)
    WriteByteRuns(Span<Bits> out, KeyMap<Bits> map, ByteCounts* counts) {
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  // Where each value's keys end, as places in the span.
  __shared__ int64_t ends[kDigits];
  __shared__ unsigned long long of_warps[kDigits / kWarpSize];
  const int t = threadIdx.x;
  WaitForGridBefore();
  unsigned long long sums[1] = {0};
  if (t < kDigits) {
    sums[0] = counts->counts[map.Unmap(static_cast<Bits>(t))];
    WarpInclusiveScan<Add<unsigned long long>>(sums);
    if (LaneId() == kWarpSize - 1) of_warps[WarpId()] = sums[0];
  }
  __syncthreads();
  if (t < kDigits) {
    for (int warp = 0; warp < WarpId(); ++warp) sums[0] += of_warps[warp];
    ends[t] = out.begin + static_cast<int64_t>(sums[0]);
  }
  __syncthreads();
  if (ArriveLast(&counts->blocks_arrived) && t < kDigits) {
    counts->counts[t] = 0;
  }

  // A block's rows follow each other, so a thread rarely comes to another
  // value.
  constexpr int64_t kRow = kByteRunThreads * kLanes;
  const int64_t rows = (out.end + kRow - 1) / kRow;
  int64_t first = rows * blockIdx.x / gridDim.x * kRow + t * kLanes;
  const int64_t end = min(out.end, rows * (blockIdx.x + 1) / gridDim.x * kRow);
  // The first value that ends after the vector starts.
  int value = 0;
#pragma unroll
  for (int half = kDigits / 2; half > 0; half /= 2) {
    if (ends[value + half - 1] <= first) value += half;
  }
  for (; first < end; first += kRow) {
    while (ends[value] <= first) ++value;
    Vector<Bits> vector;
    if (first + kLanes <= ends[value]) {
      vector = Filled(map.Unmap(static_cast<Bits>(value)));
    } else {
#pragma unroll
      for (int k = 0; k < kLanes; ++k) {
        while (value < kDigits - 1 && ends[value] <= first + k) ++value;
        vector.set_lane(k, map.Unmap(static_cast<Bits>(value)));
      }
    }
    if (out.HoldsVectors(first, kLanes)) {
      StoreVector(out, first, vector);
    } else {
      StoreElements(out, first, vector);
    }
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_COUNT_BYTES_CUH_
