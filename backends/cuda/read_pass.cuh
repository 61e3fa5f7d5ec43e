// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_READ_PASS_CUH_
#define CONCORD_BACKENDS_CUDA_READ_PASS_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/backends/cuda/launch.cuh"

namespace concord {

namespace read_pass_internal {

inline constexpr int kThreads = 512;
// 8 loads of 16 bytes a thread: 64 KiB in flight for each block, of which four
// fit on a multiprocessor; 40 KiB cover the latency at full bandwidth.
inline constexpr int kLoads = 8;
inline constexpr int64_t kTile = int64_t{kThreads} * kLoads;

// A template only so that several translation units may include it.
template <typename Vector>
__global__ void __launch_bounds__(kThreads)
    ReadOnceKernel(const Vector* data, int64_t vectors, unsigned* sink) {
  const int64_t first = blockIdx.x * kTile + threadIdx.x;
  unsigned seen = 0;
  if (first - threadIdx.x + kTile <= vectors) {
    Vector loaded[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) loaded[i] = data[first + i * kThreads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      seen |= loaded[i].x & loaded[i].y & loaded[i].z & loaded[i].w;
    }
  } else {
    for (int64_t i = first; i < vectors; i += kThreads) {
      seen |= data[i].x & data[i].y & data[i].z & data[i].w;
    }
  }
  // Hardly ever true, which the compiler cannot know.
  if (seen == 0x9e3779b9u) *sink = seen;
}

}  // namespace read_pass_internal

// The whole vectors of 16 bytes, aligned to their size, in so many bytes.
struct WholeVectors {
  const uint4* first;
  int64_t count;

  static WholeVectors In(const void* data, int64_t bytes) {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(uint4));
    const auto past = static_cast<int64_t>(
        reinterpret_cast<std::uintptr_t>(data) % sizeof(uint4));
    const int64_t skipped = (kBytes - past) % kBytes;
    return {reinterpret_cast<const uint4*>(static_cast<const char*>(data) +
                                           skipped),
            std::max<int64_t>(bytes - skipped, 0) / kBytes};
  }
};

// Reads `bytes` of device memory once, as fast as the device can: the ceiling
// for algorithms that read much more than they write. What of them does not
// fill whole vectors is not read. The word of device memory at `sink` keeps the
// compiler from dropping the loads and may be overwritten. Enqueues on
// `stream`; returns the status of the launch.
inline cudaError_t ReadOnce(const void* data, int64_t bytes, void* sink,
                            cudaStream_t stream) {
  namespace internal = read_pass_internal;
  const WholeVectors vectors = WholeVectors::In(data, bytes);
  const int64_t tiles =
      std::max<int64_t>(DivideUp(vectors.count, internal::kTile), 1);
  return LaunchKernel(stream, internal::ReadOnceKernel<uint4>,
                      {tiles, internal::kThreads}, vectors.first, vectors.count,
                      static_cast<unsigned*>(sink));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_READ_PASS_CUH_
