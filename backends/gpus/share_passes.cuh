// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Passes over an array in which each member of a group works on what lies with
// it: the ceilings for algorithms, and what the members together can do.

#ifndef CONCORD_BACKENDS_GPUS_SHARE_PASSES_CUH_
#define CONCORD_BACKENDS_GPUS_SHARE_PASSES_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/backends/gpus/share.h"

namespace concord {

inline constexpr int kPassThreads = 512;
// 8 loads of 16 bytes in each thread: 64 KiB in flight for each block, of which
// four fit on a multiprocessor; 40 KiB cover the latency at full bandwidth.
inline constexpr int kPassLoads = 8;
inline constexpr std::int64_t kPassVectors = kPassThreads * kPassLoads;
// What a block passes over.
inline constexpr std::int64_t kPassBytes =
    kPassVectors * static_cast<std::int64_t>(sizeof(uint4));

// Copies the share's units of `from` to `to`. Where `to` is null, only reads
// them; where `from` is, fills `to` with zeros. `sink` keeps the compiler from
// dropping the loads.
template <typename = void>
__global__ void __launch_bounds__(kPassThreads)
    PassOverShare(const uint4* from, uint4* to, std::int64_t vectors,
                  const __grid_constant__ Share share, unsigned* sink) {
  const std::int64_t first =
      std::int64_t{share(blockIdx.x)} * kPassVectors + threadIdx.x;
  uint4 loaded[kPassLoads] = {};
#pragma unroll
  for (int i = 0; i < kPassLoads; ++i) {
    const std::int64_t at = first + i * kPassThreads;
    if (from != nullptr && at < vectors) loaded[i] = from[at];
  }
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < kPassLoads; ++i) {
    const std::int64_t at = first + i * kPassThreads;
    if (to == nullptr) {
      seen |= loaded[i].x & loaded[i].y & loaded[i].z & loaded[i].w;
    } else if (at < vectors) {
      to[at] = loaded[i];
    }
  }
  // Hardly ever true, which the compiler cannot know.
  if (seen == 0x9e3779b9u) *sink = seen;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_SHARE_PASSES_CUH_
