// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys of one byte need not be moved: it is enough to count each value and to
// write it as often.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_COUNT_BYTES_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_COUNT_BYTES_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
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

// Every thread counts for itself, in bytes of shared memory that no other one
// touches, and in a bank of its own: no distribution of keys is slower than
// another. Before a byte could overflow, the block sums up.
inline constexpr int kByteThreads = 768;
inline constexpr int kByteLoads = 5;
inline constexpr int kByteRounds = 3;
static_assert(kByteLoads * kByteRounds * kVectorBytes < 256);

// Four values in a word.
struct ByteMemory {
  uint32_t words[kDigits / 4][kByteThreads];
};

// What a thread has summed up: of some rows of words, the columns that are its
// lane's.
struct ByteSums {
  static constexpr int kWarps = kByteThreads / kWarpSize;
  static constexpr int kRows = (kDigits / 4 + kWarps - 1) / kWarps;
  uint32_t of_row[kRows][4] = {};

  // The block's counts, which are zero afterwards.
  __device__ __forceinline__ void Take(ByteMemory& memory) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = i * kWarps + WarpId();
      if (row >= kDigits / 4) break;
      // 24 bytes and their sum fit into 16 bits.
      uint32_t even = 0;
      uint32_t odd = 0;
#pragma unroll
      for (int k = 0; k < kWarps; ++k) {
        uint32_t& word = memory.words[row][k * kWarpSize + LaneId()];
        even += word & 0x00ff00ffu;
        odd += word >> 8 & 0x00ff00ffu;
        word = 0;
      }
      of_row[i][0] += even & 0xffff;
      of_row[i][1] += odd & 0xffff;
      of_row[i][2] += even >> 16;
      of_row[i][3] += odd >> 16;
    }
    __syncthreads();
  }

  __device__ __forceinline__ void AddTo(ByteCounts* counts) const {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = i * kWarps + WarpId();
      if (row >= kDigits / 4) break;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint32_t sum = WarpReduce<Add<uint32_t>>(of_row[i][k]);
        if (LaneId() == 0 && sum != 0) {
          atomicAdd(&counts->counts[4 * row + k],
                    static_cast<unsigned long long>(sum));
        }
      }
    }
  }
};

template <typename Bits>
__global__ void __launch_bounds__(kByteThreads, 1)
    CountBytes(Span<const Bits> keys, ByteCounts* counts) {
  extern __shared__ uint4 dynamic_memory[];
  auto& memory = *reinterpret_cast<ByteMemory*>(dynamic_memory);
  for (int i = 0; i < kDigits / 4; ++i) memory.words[i][threadIdx.x] = 0;
  ByteSums sums;
  auto* const mine = reinterpret_cast<uint8_t*>(&memory.words[0][threadIdx.x]);
  const auto at = [&](Bits key) -> uint8_t& {
    return mine[key / 4 * (kByteThreads * 4) + key % 4];
  };
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  constexpr int64_t kRow = kByteThreads * kLanes;
  const int64_t step = int64_t{gridDim.x} * kRow * kByteLoads;
  int64_t row = blockIdx.x * kRow * kByteLoads;
  int rounds = 0;
  for (; row < keys.end; row += step) {
    const int64_t first = row + threadIdx.x * kLanes;
    if (keys.HoldsVectors(first, (kByteLoads - 1) * kRow + kLanes)) {
      Vector<Bits> vectors[kByteLoads];
#pragma unroll
      for (int load = 0; load < kByteLoads; ++load) {
        vectors[load] = LoadVector(keys, first + load * kRow);
      }
#pragma unroll
      for (int load = 0; load < kByteLoads; ++load) {
#pragma unroll
        for (int k = 0; k < kLanes; k += 2) {
          // Both are read before either is written: half the waiting.
          const Bits a = vectors[load].lane(k);
          const Bits b = vectors[load].lane(k + 1);
          const int count_a = at(a) + 1;
          const int count_b = at(b) + (a == b ? 2 : 1);
          at(a) = static_cast<uint8_t>(count_a);
          at(b) = static_cast<uint8_t>(count_b);
        }
      }
    } else {
      for (int load = 0; load < kByteLoads; ++load) {
        const int64_t from = first + load * kRow;
        for (int64_t i = max(from, keys.begin);
             i < min(from + kLanes, keys.end); ++i) {
          ++at(keys.base[i]);
        }
      }
    }
    if (++rounds == kByteRounds) {
      sums.Take(memory);
      rounds = 0;
    }
  }
  sums.Take(memory);
  sums.AddTo(counts);
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

  const int64_t step = int64_t{gridDim.x} * kByteRunThreads * kLanes;
  int64_t first = (int64_t{blockIdx.x} * kByteRunThreads + t) * kLanes;
  for (; first < out.end; first += step) {
    // The first value that ends after the vector starts.
    int value = 0;
#pragma unroll
    for (int half = kDigits / 2; half > 0; half /= 2) {
      if (ends[value + half - 1] <= first) value += half;
    }
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
