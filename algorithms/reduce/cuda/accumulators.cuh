// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a warp combines vectors in, before they become one value:
//
//   Accumulator<Op> a;           the identity
//   a.Add(vector);               each thread its own vectors
//   T result = a.Combine();      by all threads of the warp; valid in lane 0
//
// For operators whose order matters, lanes are kept apart and then combined by
// halving, as reduce.h defines. The others are free, and work on four bytes at
// a time where the elements are bytes.

#ifndef CONCORD_ALGORITHMS_REDUCE_CUDA_ACCUMULATORS_CUH_
#define CONCORD_ALGORITHMS_REDUCE_CUDA_ACCUMULATORS_CUH_

#include <cstdint>

#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/packed_bytes.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/element_type.h"

namespace concord::reduce {

// Combines `values` by halving; the result is in values[0].
template <typename Op, int kCount, typename T>
__device__ __forceinline__ T Halve(T (&values)[kCount]) {
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2) {
#pragma unroll
    for (int k = 0; k < half; ++k)
      values[k] = Op()(values[k], values[k + half]);
  }
  return values[0];
}

template <typename Op>
class LaneAccumulator {
 public:
  using T = typename Op::Element;

  __device__ LaneAccumulator() {
#pragma unroll
    for (T& lane : lanes_) lane = Op::Identity();
  }

  __device__ __forceinline__ void Add(const Vector<T>& vector) {
#pragma unroll
    for (int k = 0; k < Vector<T>::kLanes; ++k) {
      lanes_[k % kLanes] = Op()(lanes_[k % kLanes], vector.lane(k));
    }
  }

  __device__ __forceinline__ T Combine() {
    if constexpr (kOrderMatters<Op>) {
      // Lane j of the definition is lane j % kLanes of thread j / kLanes, so
      // the first halvings are between threads and the last within one.
#pragma unroll
      for (T& lane : lanes_) lane = WarpHalve<Op>(lane);
      return Halve<Op>(lanes_);
    } else {
      return WarpHalve<Op>(Halve<Op>(lanes_));
    }
  }

 private:
  // Four hide the latency of the operation.
  static constexpr int kLanes = Vector<T>::kLanes < 4 ? Vector<T>::kLanes : 4;

  T lanes_[kLanes];
};

// Sums of bytes.
template <typename Op>
class ByteSum {
 public:
  using T = typename Op::Element;

  __device__ __forceinline__ void Add(const Vector<T>& vector) {
#pragma unroll
    for (int w = 0; w < Vector<T>::kWords; ++w) {
      sums_[w] = SumBytes(vector.word[w], sums_[w]);
    }
  }

  __device__ __forceinline__ T Combine() {
    using AddWords = concord::Add<uint32_t>;
    return static_cast<T>(WarpHalve<AddWords>(Halve<AddWords>(sums_)));
  }

 private:
  uint32_t sums_[Vector<T>::kWords] = {};
};

// Minimum or maximum of bytes, as the upper bytes of halfwords, of which the
// device compares two at a time. What is in the lower bytes decides only
// between equal upper ones, and does not matter.
template <typename Op>
class ByteExtreme {
 public:
  using T = typename Op::Element;

  __device__ ByteExtreme() {
    constexpr uint32_t kIdentity =
        static_cast<uint8_t>(Op::Identity()) * 0x01010101u;
#pragma unroll
    for (uint32_t& word : extremes_) word = kIdentity;
  }

  __device__ __forceinline__ void Add(const Vector<T>& vector) {
#pragma unroll
    for (int w = 0; w < Vector<T>::kWords; ++w) {
      extremes_[2 * w] = Extreme(extremes_[2 * w], vector.word[w]);
      extremes_[2 * w + 1] = Extreme(extremes_[2 * w + 1], vector.word[w] << 8);
    }
  }

  __device__ __forceinline__ T Combine() {
    uint32_t halfwords = extremes_[0];
#pragma unroll
    for (uint32_t word : extremes_) halfwords = Extreme(halfwords, word);
    return WarpHalve<Op>(
        Op()(static_cast<T>(halfwords >> 8), static_cast<T>(halfwords >> 24)));
  }

 private:
  static __device__ __forceinline__ uint32_t Extreme(uint32_t a, uint32_t b) {
    if constexpr (std::is_signed_v<T>) {
      return kIsMinimum<Op> ? __vmins2(a, b) : __vmaxs2(a, b);
    } else {
      return kIsMinimum<Op> ? __vminu2(a, b) : __vmaxu2(a, b);
    }
  }

  uint32_t extremes_[2 * Vector<T>::kWords];
};

// Bitwise operators on bytes, as those on words.
template <typename Op>
class ByteBits {
 public:
  using T = typename Op::Element;

  __device__ ByteBits() {
#pragma unroll
    for (uint32_t& word : words_) word = WordOp::Identity();
  }

  __device__ __forceinline__ void Add(const Vector<T>& vector) {
#pragma unroll
    for (int w = 0; w < Vector<T>::kWords; ++w) {
      words_[w] = WordOp()(words_[w], vector.word[w]);
    }
  }

  __device__ __forceinline__ T Combine() {
    const uint32_t word = WarpHalve<WordOp>(Halve<WordOp>(words_));
    const uint32_t halfword = WordOp()(word, word >> 16);
    return static_cast<T>(WordOp()(halfword, halfword >> 8));
  }

 private:
  template <template <typename> class AnyOp>
  static AnyOp<uint32_t> OnWords(AnyOp<T>);
  using WordOp = decltype(OnWords(Op()));

  uint32_t words_[Vector<T>::kWords];
};

template <typename Op>
auto ChooseAccumulator() {
  if constexpr (!kIsOnBytes<Op> || kIsMultiply<Op>) {
    return TypeTag<LaneAccumulator<Op>>();
  } else if constexpr (kIsAdd<Op>) {
    return TypeTag<ByteSum<Op>>();
  } else if constexpr (kIsMinimum<Op> || kIsMaximum<Op>) {
    return TypeTag<ByteExtreme<Op>>();
  } else {
    return TypeTag<ByteBits<Op>>();
  }
}
template <typename Op>
using Accumulator = typename decltype(ChooseAccumulator<Op>())::type;

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_CUDA_ACCUMULATORS_CUH_
