// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_
#define CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/launch.cuh"

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

// Queues f(i), a device lambda, for 0 <= i < n, n >= 1: each thread takes an
// element, then the one a grid further, and so on. For pipelines of simple
// steps; what has to be fast has kernels of its own. `what` is for errors.
template <typename F>
absl::Status QueueMap(const CudaBackend& backend, absl::string_view what,
                      int64_t n, F f) {
  namespace internal = grid_map_internal;
  const int64_t blocks =
      std::min(DivideUp(n, internal::kThreads), internal::kMostBlocks);
  return QueueKernel(backend, what, internal::Map<F>,
                     {blocks, internal::kThreads}, n, f);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_GRID_MAP_CUH_
