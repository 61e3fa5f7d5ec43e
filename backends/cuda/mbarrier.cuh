// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_MBARRIER_CUH_
#define CONCORD_BACKENDS_CUDA_MBARRIER_CUH_

#include <cstdint>

namespace concord {

__device__ __forceinline__ uint32_t SharedAddress(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// A barrier in shared memory (PTX: mbarrier) for compute capability 9.0 and
// later. It goes through phases: one ends when all that was announced has
// arrived, threads and bytes alike. What a thread did before it arrived is seen
// by whoever has waited for the end of that phase.
//
// Phases are told apart by their parity: the first is 0, and a fresh barrier
// passes for one whose phase 1 has ended.
class Mbarrier {
 public:
  // One thread calls it; `FenceMbarrierInit` and a barrier of the block follow.
  __device__ __forceinline__ void Init(uint32_t arrivals) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(this)),
        "r"(arrivals)
        : "memory");
  }

  __device__ __forceinline__ void Arrive() {
    asm volatile(
        "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(this))
        : "memory");
  }

  // Arrives, and announces bytes that bulk copies will bring within the phase.
  __device__ __forceinline__ void ArriveExpecting(uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     SharedAddress(this)),
                 "r"(bytes)
                 : "memory");
  }

  __device__ __forceinline__ void Wait(uint32_t parity) const {
    uint32_t over = 0;
    do {
      asm volatile(
          "{\n\t"
          ".reg .pred over;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, over;\n\t"
          "}"
          : "=r"(over)
          : "r"(SharedAddress(this)), "r"(parity)
          : "memory");
    } while (over == 0);
  }

 private:
  uint64_t state_;
};

// Makes the barriers that this thread has initialised known to bulk copies.
__device__ __forceinline__ void FenceMbarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_MBARRIER_CUH_
