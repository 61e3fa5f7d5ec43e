// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_LAST_BLOCK_CUH_
#define CONCORD_BACKENDS_CUDA_LAST_BLOCK_CUH_

namespace concord {

// True in all threads of exactly one of `expected` blocks: the last to arrive.
// It sees everything that the threads 0 of the others wrote before they
// arrived. All threads of each of these blocks call it once.
//
// `arrivals` is zero before the first launch and wraps back to zero with the
// last arrival, so it is never cleared between launches.
__device__ inline bool ArriveLast(unsigned* arrivals, unsigned expected) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(arrivals, expected - 1) == expected - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Of all blocks of the grid.
__device__ inline bool ArriveLast(unsigned* arrivals) {
  return ArriveLast(arrivals, gridDim.x);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_LAST_BLOCK_CUH_
