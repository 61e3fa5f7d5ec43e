// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a thread does with one vector of a scan.

#ifndef CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_VECTOR_CUH_
#define CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_VECTOR_CUH_

#include <cstdint>

#include "backends/cuda/operator_traits.cuh"
#include "backends/cuda/packed_bytes.cuh"
#include "backends/cuda/vector.cuh"

namespace concord {

template <typename Op>
inline constexpr bool kIsMinimumOfBytes = kIsOnBytes<Op> &&
                                          (kIsMinimum<Op> || kIsMaximum<Op>);

template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ T Total(const Vector<T>& vector) {
  if constexpr (kIsAdd<Op> && kIsOnBytes<Op>) {
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t word : vector.word) sum = SumBytes(word, sum);
    return static_cast<T>(sum);
  } else if constexpr (kIsMinimumOfBytes<Op>) {
    constexpr uint32_t kFlip = kFlipToMinimum<Op> * 0x01010101u;
    uint32_t pair = ~0u;
#pragma unroll
    for (uint32_t word : vector.word) {
      pair = MinimumWithBytes(word ^ kFlip, pair);
    }
    return static_cast<T>(LowerOfBytePair(MinimumOfBytePair(pair)) ^
                          kFlipToMinimum<Op>);
  } else {
    T total = vector.lane(0);
#pragma unroll
    for (int k = 1; k < Vector<T>::kLanes; ++k) {
      total = Op()(total, vector.lane(k));
    }
    return total;
  }
}

template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ Vector<T> ScanVector(Vector<T> vector, T prefix,
                                                bool inclusive) {
  if constexpr (kIsAdd<Op> && kIsOnBytes<Op>) {
    uint32_t sum = prefix;
#pragma unroll
    for (uint32_t& word : vector.word) word = ScanBytes(word, inclusive, sum);
  } else if constexpr (kIsMinimumOfBytes<Op>) {
    constexpr uint32_t kFlip = kFlipToMinimum<Op> * 0x01010101u;
    uint32_t pair = BytePair(static_cast<uint8_t>(prefix) ^ kFlipToMinimum<Op>);
#pragma unroll
    for (uint32_t& word : vector.word) {
      word = ScanMinimumBytes(word ^ kFlip, inclusive, pair) ^ kFlip;
    }
  } else {
#pragma unroll
    for (int k = 0; k < Vector<T>::kLanes; ++k) {
      const T next = Op()(prefix, vector.lane(k));
      vector.set_lane(k, CanonicalNan(inclusive ? next : prefix));
      prefix = next;
    }
  }
  return vector;
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_VECTOR_CUH_
