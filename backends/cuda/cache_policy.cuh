// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the second-level cache treats what passes through it. Where a kernel only
// writes, what it writes is to go first, and the little that it reads is to
// stay: each read of memory between the writes holds these up.

#ifndef CONCORD_BACKENDS_CUDA_CACHE_POLICY_CUH_
#define CONCORD_BACKENDS_CUDA_CACHE_POLICY_CUH_

#include <cstdint>
#include <cstring>

#include "concord/backends/cuda/vector.cuh"

namespace concord {

#if __CUDA_ARCH__ >= 800
namespace internal {

__device__ __forceinline__ uint64_t PolicyToStay() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ uint64_t PolicyToGo() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace internal
#endif

// Stores a word whose line stays until it is read.
__device__ __forceinline__ void StoreToStay(uint32_t* to, uint32_t word) {
#if __CUDA_ARCH__ >= 800
  asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(to),
               "r"(word), "l"(internal::PolicyToStay())
               : "memory");
#else
  *to = word;
#endif
}

// Loads 4 or 8 bytes that no kernel writes meanwhile, and whose line stays.
template <typename T>
__device__ __forceinline__ T LoadToStay(const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if __CUDA_ARCH__ >= 800
  T value;
  if constexpr (sizeof(T) == 4) {
    uint32_t word;
    asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;"
        : "=r"(word)
        : "l"(from), "l"(internal::PolicyToStay()));
    memcpy(&value, &word, sizeof(word));
  } else {
    uint2 words;
    asm("ld.global.nc.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
        : "=r"(words.x), "=r"(words.y)
        : "l"(from), "l"(internal::PolicyToStay()));
    memcpy(&value, &words, sizeof(words));
  }
  return value;
#else
  return *from;
#endif
}

// Stores a vector whose line goes first.
template <typename T>
__device__ __forceinline__ void StoreToGo(T* to, const Vector<T>& vector) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to),
      "r"(vector.word[0]), "r"(vector.word[1]), "r"(vector.word[2]),
      "r"(vector.word[3]), "l"(internal::PolicyToGo())
      : "memory");
#else
  *reinterpret_cast<uint4*>(to) = make_uint4(vector.word[0], vector.word[1],
                                             vector.word[2], vector.word[3]);
#endif
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CACHE_POLICY_CUH_
