// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Mapping keys, making positions, fetching elements: passes of their own, for
// implementations that sort unsigned integers in arrays of their own.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MAP_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MAP_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord::radix_sort {

template <typename F>
__global__ void CallForEach(int64_t n, F f) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += step) {
    f(i);
  }
}

// Calls f(i) on the device for i = 0, ..., n - 1, in no order.
template <typename F>
absl::Status ForEach(CudaBackend& backend, int64_t n, F f) {
  constexpr int kThreads = 256;
  // As many blocks as fit onto the device, if there is work for them.
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads,
                                           8 * backend.multiprocessors());
  return QueueKernel(backend, "a pass of radix_sort over elements",
                     CallForEach<F>, {blocks, kThreads}, n, f);
}

template <typename Bits>
absl::Status MapKeys(CudaBackend& backend, const Bits* in, Bits* out, int64_t n,
                     KeyMap<Bits> map) {
  return ForEach(backend, n,
                 [=] __device__(int64_t i) { out[i] = map.Map(in[i]); });
}

template <typename Bits>
absl::Status UnmapKeys(CudaBackend& backend, const Bits* in, Bits* out,
                       int64_t n, KeyMap<Bits> map) {
  return ForEach(backend, n,
                 [=] __device__(int64_t i) { out[i] = map.Unmap(in[i]); });
}

// What is to be sorted by: the keys without the bits that do not count.
template <typename Bits>
absl::Status MakeRanks(CudaBackend& backend, const Bits* keys, Bits* ranks,
                       int64_t n, KeyMap<Bits> map, Bits range) {
  return ForEach(backend, n, [=] __device__(int64_t i) {
    ranks[i] = map.Map(keys[i]) & range;
  });
}

template <typename Value>
absl::Status MakePositions(CudaBackend& backend, Value* out, int64_t n) {
  return ForEach(backend, n,
                 [=] __device__(int64_t i) { out[i] = static_cast<Value>(i); });
}

// The values at these positions; without values, the positions themselves.
template <typename T, typename Position>
absl::Status FetchByPosition(CudaBackend& backend, const T* values,
                             const Position* positions, T* out, int64_t n) {
  return ForEach(backend, n, [=] __device__(int64_t i) {
    out[i] =
        values == nullptr ? static_cast<T>(positions[i]) : values[positions[i]];
  });
}

// Whether keys are sorted as they are.
template <typename Bits>
bool IsIdentity(KeyMap<Bits> map) {
  return map.if_negative == 0 && map.always == 0;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MAP_CUH_
