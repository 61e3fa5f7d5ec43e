// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The sums that a thread keeps while it goes through the elements of a row:
//
//   LaneSums<T> sums{};          // nothing yet
//   sums.AddPiece<kShift>(piece);  // 256 bytes, in shared memory
//   sums.AddSome(elements, count);
//   sums.prefix() ...            // as SumOf<T>, after at least one element
//
// 4.8 elements of 4 bytes arrive at each multiprocessor of an H200 per cycle,
// or 19 bytes, and 64 integer operations are done. So the loop has 13 of them
// for an int32 and 3 for a byte, and neither has time for sums of 64 bits.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_LANES_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_LANES_CUH_

#include <cstdint>
#include <type_traits>

#include "algorithms/max_subarray/max_subarray_summary.h"
#include "backends/cuda/ordered_fold.cuh"
#include "backends/cuda/vector.cuh"

namespace concord {

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

// Of bytes: both halves of a piece at the same time, in the halves of a word,
// with the instructions for dynamic programming of Hopper. 128 bytes amount to
// no more than 32,640.
template <typename T>
class ByteLaneSums {
 public:
  template <int kShift>
  __device__ __forceinline__ void AddPiece(const Vector<T>* piece) {
    static_assert(kShift == 0);
    constexpr int kHalf = kPieceVectors / 2;
    constexpr unsigned kLowest = 0x80008000u;
    unsigned sum = 0, prefix = kLowest, suffix = 0, best = kLowest;
#pragma unroll
    for (int v = 0; v < kHalf; ++v) {
      const Vector<T> low = piece[v];
      const Vector<T> high = piece[v + kHalf];
#pragma unroll
      for (int w = 0; w < Vector<T>::kWords; ++w) {
#pragma unroll
        for (int k = 0; k < 4; k += 2) {
          const unsigned x = Pair(low.word[w], high.word[w], k);
          const unsigned y = Pair(low.word[w], high.word[w], k + 1);
          prefix = __viaddmax_s16x2(sum, x, prefix);
          sum = __vadd2(sum, x);
          prefix = __viaddmax_s16x2(sum, y, prefix);
          sum = __vadd2(sum, y);
          const unsigned ending = __viaddmax_s16x2(suffix, x, x);
          suffix = __viaddmax_s16x2(ending, y, y);
          best = __vimax3_s16x2(best, ending, suffix);
        }
      }
    }
    Append({Low(sum), Low(prefix), Low(suffix), Low(best)});
    Append({High(sum), High(prefix), High(suffix), High(best)});
  }

  __device__ void AddSome(const T* elements, int count) {
    for (int i = 0; i < count; ++i) {
      const int x = elements[i];
      Append({x, x, x, x});
    }
  }

  __device__ int sum() const { return whole_.sum; }
  __device__ int prefix() const { return whole_.prefix; }
  __device__ int suffix() const { return whole_.suffix; }
  __device__ int best() const { return whole_.best; }

 private:
  struct Sums {
    int sum, prefix, suffix, best;
  };

  __device__ __forceinline__ void Append(const Sums& next) {
    whole_.best = max(max(whole_.best, next.best), whole_.suffix + next.prefix);
    whole_.prefix = max(whole_.prefix, whole_.sum + next.prefix);
    whole_.suffix = max(next.suffix, whole_.suffix + next.sum);
    whole_.sum += next.sum;
  }

  // Byte k of both words, each extended to 16 bits.
  static __device__ __forceinline__ unsigned Pair(unsigned low, unsigned high,
                                                  int k) {
    if constexpr (std::is_signed_v<T>) {
      // Where the upper bit of a selector is set, the byte's sign is repeated.
      unsigned pair;
      asm("prmt.b32 %0, %1, %2, %3;"
          : "=r"(pair)
          : "r"(low), "r"(high),
            "r"(k | (k + 8) << 4 | (k + 4) << 8 | (k + 12) << 12));
      return pair;
    } else {
      return __byte_perm(low & 0x00ff00ffu << k % 2 * 8,
                         high & 0x00ff00ffu << k % 2 * 8,
                         k | (k ^ 1) << 4 | (k + 4) << 8 | ((k ^ 1) + 4) << 12);
    }
  }
  static __device__ int Low(unsigned word) {
    return static_cast<int16_t>(word & 0xffffu);
  }
  static __device__ int High(unsigned word) {
    return static_cast<int16_t>(word >> 16);
  }

  // Nothing yet; far below all sums of a row, and far from overflow.
  Sums whole_{0, -(1 << 29), 0, -(1 << 29)};
};

template <>
class LaneSums<int8_t> : public ByteLaneSums<int8_t> {};
template <>
class LaneSums<uint8_t> : public ByteLaneSums<uint8_t> {};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_LANES_CUH_
