// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a thread does with one vector of a scan, and a warp with some of them.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_VECTOR_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_VECTOR_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/backends/cuda/native_minimum.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/packed_bytes.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

// The operator that combines totals: that of 32-bit numbers for bytes, so that
// nothing is narrowed on the way. Sums and products modulo 2^32 are right
// modulo 2^8.
template <template <typename> class Op, typename T>
auto OperatorOfTotals(Op<T>) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
  if constexpr (kGoesByKeys<Op<T>>) {
    return typename Op<T>::Combine();
  } else {
    return Op<std::conditional_t<sizeof(T) == 1, Wide, T>>();
  }
}
template <typename Op>
using TotalOp = decltype(OperatorOfTotals(Op()));
template <typename Op>
using TotalOf = typename TotalOp<Op>::Element;

// A single element as a total, and back.
template <typename Op>
__device__ __forceinline__ TotalOf<Op> ToTotal(typename Op::Element element) {
  if constexpr (kGoesByKeys<Op>) {
    return OrderedKey<Op>(element);
  } else {
    return element;
  }
}
template <typename Op>
__device__ __forceinline__ typename Op::Element FromTotal(TotalOf<Op> total) {
  if constexpr (kGoesByKeys<Op>) {
    return ValueOfKey(total);
  } else {
    return total;
  }
}

// Of all lanes of the vector.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ TotalOf<Op> Total(const Vector<T>& vector) {
  if constexpr (kIsOnBytes<Op> && kIsAdd<Op>) {
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t word : vector.word) sum = SumBytes(word, sum);
    return sum;
  } else if constexpr (kIsOnBytes<Op> && kIsMultiply<Op>) {
    uint32_t product = 1;
#pragma unroll
    for (uint32_t word : vector.word) product = MultiplyBytes(word, product);
    return product;
  } else if constexpr (kIsOnBytes<Op>) {
    uint32_t pair = ~0u;
#pragma unroll
    for (uint32_t word : vector.word) {
      pair = MinimumWithBytes(word ^ kFlipBytesToMinimum<Op>, pair);
    }
    return static_cast<T>(MinimumOfBytePair(pair) ^ kFlipBytesToMinimum<Op>);
  } else {
    TotalOf<Op> total = ToTotal<Op>(vector.lane(0));
#pragma unroll
    for (int k = 1; k < Vector<T>::kLanes; ++k) {
      total = TotalOp<Op>()(total, ToTotal<Op>(vector.lane(k)));
    }
    return total;
  }
}

// A warp takes its vectors in steps, one of each lane at a time, and steps[i]
// is what the lane's i-th vector amounts to. It becomes what precedes that
// vector. Every lane gets what all vectors amount to.
template <typename Combine, int kSteps, typename Sum>
__device__ __forceinline__ Sum ScanSteps(Sum (&steps)[kSteps]) {
  WarpInclusiveScan<Combine>(steps);
  Sum before = Combine::Identity();
#pragma unroll
  for (Sum& step : steps) {
    const Sum total = ShuffleFrom(step, kWarpSize - 1);
    step = Combine()(before, ShiftIn<Combine>(step));
    before = Combine()(before, total);
  }
  return before;
}

// With `prefix` before its first lane.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ Vector<T> ScanVector(Vector<T> vector,
                                                TotalOf<Op> prefix,
                                                bool inclusive) {
  if constexpr (kIsOnBytes<Op> && kIsAdd<Op>) {
    uint32_t sum = prefix;
#pragma unroll
    for (uint32_t& word : vector.word) {
      word = ScanSumBytes(word, inclusive, sum);
    }
  } else if constexpr (kIsOnBytes<Op> && kIsMultiply<Op>) {
    uint32_t product = prefix;
#pragma unroll
    for (uint32_t& word : vector.word) {
      word = ScanProductBytes(word, inclusive, product);
    }
  } else if constexpr (kIsOnBytes<Op>) {
    constexpr uint32_t kFlip = kFlipBytesToMinimum<Op>;
    uint32_t pair = BytePair(static_cast<uint32_t>(prefix) ^ kFlip);
#pragma unroll
    for (uint32_t& word : vector.word) {
      word = ScanMinimumBytes(word ^ kFlip, inclusive, pair) ^ kFlip;
    }
  } else {
#pragma unroll
    for (int k = 0; k < Vector<T>::kLanes; ++k) {
      const auto next = TotalOp<Op>()(prefix, ToTotal<Op>(vector.lane(k)));
      vector.set_lane(k,
                      CanonicalNan(FromTotal<Op>(inclusive ? next : prefix)));
      prefix = next;
    }
  }
  return vector;
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_VECTOR_CUH_
