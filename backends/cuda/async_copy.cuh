// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Copies from global to shared memory that take no registers while they are
// under way: asynchronous from compute capability 8.0 on, ordinary before.
//
// <cuda_pipeline.h> has the same, but its wait does not keep the compiler from
// moving loads of what was copied to before the wait.

#ifndef CONCORD_BACKENDS_CUDA_ASYNC_COPY_CUH_
#define CONCORD_BACKENDS_CUDA_ASYNC_COPY_CUH_

#include <cstdint>

#include "concord/backends/cuda/vector.cuh"

namespace concord {

// Starts to copy the vector at element `first`, which the span holds.
template <typename T>
__device__ __forceinline__ void CopyVectorAsync(Vector<T>* shared,
                                                Span<const T> span,
                                                int64_t first) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(shared))),
               "l"(span.base + first)
               : "memory");
#else
  *shared = LoadVector(span, first);
#endif
}

// Waits until all copies that this thread started are complete. Other threads
// see them after a barrier.
__device__ __forceinline__ void WaitForCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_ASYNC_COPY_CUH_
