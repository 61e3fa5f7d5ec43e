// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The sums that a thread keeps while it goes through the elements of a row:
//
//   LaneSums<T> sums{};          // nothing yet
//   sums.AddPiece<kShift>(piece);  // 256 bytes, in shared memory
//   sums.AddVector<first, end>(vector);  // some of its lanes
//   sums.AddSome(elements, count);
//   sums.prefix() ...            // as SumOf<T>, after at least one element
//
// 4.8 elements of 4 bytes arrive at each multiprocessor of an H200 per cycle,
// and 64 integer operations are done. So the loop has 13 of them for an int32,
// and no time for sums of 64 bits. Bytes: bytes.cuh.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LANES_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LANES_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::max_subarray {

// GPUs for data centres add doubles at half the rate of floats, on units that
// the loop has no other use for, and take in a 64-bit integer only in pieces.
// Sums of 64 elements of 32 bits are exact in a double. Others have next to no
// units for doubles.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
                               __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030)
using SumOfWords = double;
#else
using SumOfWords = int64_t;
#endif

template <typename T>
using LaneSumOf =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<sizeof(T) == 4, SumOfWords, T>>;

// Kadane's loop without the places. What there is before the first element
// changes none of its bits: -0.0 of floats, and infinity below it.
template <typename T>
class LaneSums {
 public:
  using Lane = LaneSumOf<T>;

  __device__ LaneSums()
      : sum_(Add<Lane>::Identity()),
        prefix_(Maximum<Lane>::Identity()),
        suffix_(sum_),
        best_(prefix_) {}

  template <int kShift>
  __device__ __forceinline__ void AddPiece(const Vector<T>* piece) {
    constexpr int kLanes = Vector<T>::kLanes;
    constexpr int kEnd = kPieceElements<T> + kShift;
#pragma unroll
    for (int first = 0; first < kEnd; first += kLanes) {
      const Vector<T> vector = piece[first / kLanes];
#pragma unroll
      for (int k = 0; k < kLanes; ++k) {
        if (first + k >= kShift && first + k < kEnd) Append(vector.lane(k));
      }
    }
  }

  template <int kFirst, int kEnd>
  __device__ __forceinline__ void AddVector(const Vector<T>& vector) {
#pragma unroll
    for (int k = kFirst; k < kEnd; ++k) Append(vector.lane(k));
  }

  __device__ void AddSome(const T* elements, int count) {
    for (int i = 0; i < count; ++i) Append(elements[i]);
  }

  __device__ Lane sum() const { return sum_; }
  __device__ Lane prefix() const { return prefix_; }
  __device__ Lane suffix() const { return suffix_; }
  __device__ Lane best() const { return best_; }

 private:
  __device__ __forceinline__ void Append(T element) {
    const Lane x = static_cast<Lane>(element);
    sum_ += x;
    prefix_ = sum_ > prefix_ ? sum_ : prefix_;
    suffix_ = IsNegative(suffix_) ? x : suffix_ + x;
    best_ = suffix_ > best_ ? suffix_ : best_;
  }

  Lane sum_, prefix_, suffix_, best_;
};

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LANES_CUH_
