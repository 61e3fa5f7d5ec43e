// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Clusters: up to 16 blocks that run at the same time, each of which can write
// to the shared memory of the others (compute capability 9.0 and later; PTX:
// shared::cluster). A block that is written to must have started, and must not
// have ended.

#ifndef CONCORD_BACKENDS_CUDA_CLUSTER_CUH_
#define CONCORD_BACKENDS_CUDA_CLUSTER_CUH_

#include <cstdint>

#include "concord/backends/cuda/mbarrier.cuh"

namespace concord {

inline constexpr int kMostClusterBlocks = 16;
// What every device with clusters takes.
inline constexpr int kPortableClusterBlocks = 8;

// Which block of its cluster this one is, and how many there are.
__device__ __forceinline__ uint32_t BlockOfCluster() {
  uint32_t block;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(block));
  return block;
}
__device__ __forceinline__ uint32_t BlocksOfCluster() {
  uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

// The address at which a block of the cluster has what this one has at
// `shared`, an address of its own.
__device__ __forceinline__ uint32_t AddressInBlock(uint32_t shared,
                                                   uint32_t block) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared), "r"(block));
  return address;
}

// The same for a pointer, through which this block may write.
template <typename T>
__device__ __forceinline__ T* PointerInBlock(T* shared, uint32_t block) {
  T* there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(block));
  return there;
}

// A barrier that waits for what other blocks of the cluster send.
class ClusterMbarrier : public Mbarrier {
 public:
  // As `Mbarrier::Wait`, for what any block of the cluster did.
  __device__ __forceinline__ void WaitForCluster(uint32_t parity) const {
    uint32_t over = 0;
    do {
      asm volatile(
          "{\n\t"
          ".reg .pred over;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
          "over, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, over;\n\t"
          "}"
          : "=r"(over)
          : "r"(SharedAddress(this)), "r"(parity)
          : "memory");
    } while (over == 0);
  }
};

// Writes a value to another block, whose barrier counts its bytes when it is
// there; both addresses are those of `AddressInBlock`.
__device__ __forceinline__ void Send(uint32_t to, uint32_t value,
                                     uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
      "[%0], %1, [%2];" ::"r"(to),
      "r"(value), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void Send(uint32_t to, uint64_t value,
                                     uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 "
      "[%0], %1, [%2];" ::"r"(to),
      "l"(value), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void Send(uint32_t to, uint4 value,
                                     uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
      "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

// The two halves of a barrier of all threads of the cluster.
__device__ __forceinline__ void ArriveAtCluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void WaitForArrivals() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CLUSTER_CUH_
