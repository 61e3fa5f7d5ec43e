// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_
#define CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace concord {

namespace grid_map_internal {

inline constexpr int kThreads = 256;
// Enough to fill any GPU.
inline constexpr int64_t kMostBlocks = 4096;

template <typename F>
__global__ void __launch_bounds__(kThreads) Map(int64_t n, F f) {
  const int64_t stride = int64_t{gridDim.x} * kThreads;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < n;
       i += stride) {
    f(i);
  }
}

}  // namespace grid_map_internal

// Calls f(i), a device lambda, for 0 <= i < n, n >= 1: each thread takes an
// element, then the one a grid further, and so on. For pipelines of simple
// steps; what has to be fast has kernels of its own. Check the launch.
template <typename F>
void LaunchMap(int64_t n, cudaStream_t stream, F f) {
  namespace internal = grid_map_internal;
  const int64_t blocks = std::min(
      (n + internal::kThreads - 1) / internal::kThreads, internal::kMostBlocks);
  internal::
      Map<<<static_cast<unsigned>(blocks), internal::kThreads, 0, stream>>>(n,
                                                                            f);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_
