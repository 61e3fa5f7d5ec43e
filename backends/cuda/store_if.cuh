// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stores for some lanes of a vector, side by side in shared memory and without
// a branch: one instruction tests a bit, one stores, one moves on. (Compilers
// make branches of an `if` around the store and the increment: compaction of
// 2^28 int32 of which 10 % were kept took 370 us on an H200 in place of 337.)

#ifndef CONCORD_BACKENDS_CUDA_STORE_IF_CUH_
#define CONCORD_BACKENDS_CUDA_STORE_IF_CUH_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "concord/backends/cuda/vector.cuh"

namespace concord {

// Stores `value` at `to`, an address in shared memory, and moves that on, where
// a bit of `mask` is set in `bits`. StoreHalfIfSet stores its lower 16 bits.
template <uint32_t mask>
__device__ __forceinline__ void StoreHalfIfSet(uint32_t bits, uint32_t value,
                                               uint32_t& to) {
  asm volatile(
      "{\n\t"
      ".reg .pred kept;\n\t"
      ".reg .b32 bit;\n\t"
      "and.b32 bit, %1, %3;\n\t"
      "setp.ne.u32 kept, bit, 0;\n\t"
      "@kept st.shared.u16 [%0], %2;\n\t"
      "@kept add.u32 %0, %0, 2;\n\t"
      "}"
      : "+r"(to)
      : "r"(bits), "r"(value), "n"(mask)
      : "memory");
}
template <uint32_t mask>
__device__ __forceinline__ void StoreIfSet(uint32_t bits, uint32_t value,
                                           uint32_t& to) {
  asm volatile(
      "{\n\t"
      ".reg .pred kept;\n\t"
      ".reg .b32 bit;\n\t"
      "and.b32 bit, %1, %3;\n\t"
      "setp.ne.u32 kept, bit, 0;\n\t"
      "@kept st.shared.u32 [%0], %2;\n\t"
      "@kept add.u32 %0, %0, 4;\n\t"
      "}"
      : "+r"(to)
      : "r"(bits), "r"(value), "n"(mask)
      : "memory");
}
template <uint32_t mask>
__device__ __forceinline__ void StoreIfSet(uint32_t bits, uint64_t value,
                                           uint32_t& to) {
  asm volatile(
      "{\n\t"
      ".reg .pred kept;\n\t"
      ".reg .b32 bit;\n\t"
      "and.b32 bit, %1, %3;\n\t"
      "setp.ne.u32 kept, bit, 0;\n\t"
      "@kept st.shared.u64 [%0], %2;\n\t"
      "@kept add.u32 %0, %0, 8;\n\t"
      "}"
      : "+r"(to)
      : "r"(bits), "l"(value), "n"(mask)
      : "memory");
}

// Calls f(std::integral_constant<int, k>()) for each lane of a vector.
template <typename F, int... k>
__device__ __forceinline__ void ForEachLane(std::integer_sequence<int, k...>,
                                            F&& f) {
  (f(std::integral_constant<int, k>()), ...);
}
template <typename Word, typename F>
__device__ __forceinline__ void ForEachLane(F&& f) {
  ForEachLane(std::make_integer_sequence<int, Vector<Word>::kLanes>(),
              static_cast<F&&>(f));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_STORE_IF_CUH_
