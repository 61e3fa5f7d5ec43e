// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions and scans over the 32 threads of a warp, through its shuffles. All
// threads of the warp must call them together. `Op` is an operator of
// core/operators.h over T.

#ifndef CONCORD_BACKENDS_CUDA_WARP_CUH_
#define CONCORD_BACKENDS_CUDA_WARP_CUH_

#include <type_traits>

namespace concord {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ __forceinline__ int LaneId() { return threadIdx.x % kWarpSize; }
__device__ __forceinline__ int WarpId() { return threadIdx.x / kWarpSize; }

// The shuffles exist for 4 and 8 bytes; a byte travels as a word. The types of
// <cstdint> are cast to the built-in ones for which they are overloaded.
template <typename T>
using Shuffled = std::conditional_t<
    std::is_floating_point_v<T>, T,
    std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>>;

template <typename T>
__device__ __forceinline__ T ShuffleUp(T value, int distance) {
  return static_cast<T>(
      __shfl_up_sync(kWholeWarp, static_cast<Shuffled<T>>(value), distance));
}
template <typename T>
__device__ __forceinline__ T ShuffleDown(T value, int distance) {
  return static_cast<T>(
      __shfl_down_sync(kWholeWarp, static_cast<Shuffled<T>>(value), distance));
}
template <typename T>
__device__ __forceinline__ T ShuffleXor(T value, int mask) {
  return static_cast<T>(
      __shfl_xor_sync(kWholeWarp, static_cast<Shuffled<T>>(value), mask));
}
template <typename T>
__device__ __forceinline__ T ShuffleFrom(T value, int lane) {
  return static_cast<T>(
      __shfl_sync(kWholeWarp, static_cast<Shuffled<T>>(value), lane));
}

// Combines the values of the first `Width` lanes (a power of two) by halving:
// lane j takes lane j + Width/2, then j + Width/4, ... The result is in lane 0.
template <typename Op, int Width = kWarpSize, typename T>
__device__ __forceinline__ T WarpHalve(T value) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2) {
    value = Op()(value, ShuffleDown(value, distance));
  }
  return value;
}

// Combines the values of all lanes; every lane gets the result.
template <typename Op, typename T>
__device__ __forceinline__ T WarpReduce(T value) {
#pragma unroll
  for (int mask = kWarpSize / 2; mask > 0; mask /= 2) {
    value = Op()(value, ShuffleXor(value, mask));
  }
  return value;
}

// Lane i gets the values of lanes 0..i combined. Several independent scans at
// once hide the latency of the shuffles.
template <typename Op, int Count, typename T>
__device__ __forceinline__ void WarpInclusiveScan(T (&values)[Count]) {
  const int lane = LaneId();
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const T before = ShuffleUp(values[i], distance);
      if (lane >= distance) values[i] = Op()(before, values[i]);
    }
  }
}

// Lane i gets the value of lane i - 1, and lane 0 the identity: this turns an
// inclusive scan into an exclusive one.
template <typename Op, typename T>
__device__ __forceinline__ T ShiftIn(T value) {
  const T before = ShuffleUp(value, 1);
  return LaneId() == 0 ? Op::Identity() : before;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_WARP_CUH_
