// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Bulk copies (PTX: cp.async.bulk) for compute capability 9.0 and later: one
// instruction of one thread brings kilobytes, without registers.

#ifndef CONCORD_BACKENDS_CUDA_BULK_COPY_CUH_
#define CONCORD_BACKENDS_CUDA_BULK_COPY_CUH_

#include <cstdint>

#include "concord/backends/cuda/mbarrier.cuh"

namespace concord {

// Starts to copy `bytes` from global to shared memory. Both addresses and the
// size are multiples of 16. The bytes arrive at `barrier`, where somebody has
// announced them.
__device__ __forceinline__ void BulkCopy(void* shared, const void* global,
                                         uint32_t bytes, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(SharedAddress(shared)),
      "l"(global), "r"(bytes), "r"(SharedAddress(&barrier))
      : "memory");
}

// A thread that has written to shared memory calls it before it lets a bulk
// copy write there: the two take different ways to memory.
__device__ __forceinline__ void FenceBeforeBulkCopy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_BULK_COPY_CUH_
