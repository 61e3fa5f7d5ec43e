// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_STORES_CUH_
#define CONCORD_BACKENDS_GPUS_STORES_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord {

inline constexpr int kStoreThreads = 256;
// Of one thread, all on their way at the same time.
inline constexpr int kStoresInFlight = 8;
inline constexpr std::int64_t kStoreWords = kStoreThreads * kStoresInFlight;

template <typename = void>
__global__ void __launch_bounds__(kStoreThreads)
    StoreWords(const std::uint64_t* from, std::uint64_t* to,
               std::int64_t words) {
  const std::int64_t first = blockIdx.x * kStoreWords + threadIdx.x;
  std::uint64_t loaded[kStoresInFlight];
#pragma unroll
  for (int i = 0; i < kStoresInFlight; ++i) {
    const std::int64_t at = first + i * kStoreThreads;
    if (at < words) loaded[i] = from[at];
  }
#pragma unroll
  for (int i = 0; i < kStoresInFlight; ++i) {
    const std::int64_t at = first + i * kStoreThreads;
    if (at < words) to[at] = loaded[i];
  }
}

// Queues a copy of words of 8 bytes from a member's memory to places of which
// some may lie with others. Only what does crosses a link; a copy of CUDA's
// takes as long as if all of it did (NOTES.md).
inline absl::Status QueueStores(const CudaBackend& member,
                                const std::uint64_t* from, std::uint64_t* to,
                                std::int64_t words, absl::string_view what) {
  return QueueKernel(member, what, StoreWords<>,
                     {DivideUp(words, kStoreWords), kStoreThreads}, from, to,
                     words);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_STORES_CUH_
