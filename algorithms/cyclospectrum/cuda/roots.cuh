// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_ROOTS_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_ROOTS_CUH_

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/field.cuh"

namespace concord::cyclospectrum {

// For transforms of `radix` * 2^20 elements, as rows of 2^12 and columns of
// `radix` * 2^8 elements: powers of a root of order 2 * radix * 2^20, in tables
// on the device. All are factors for TimesMontgomery.
class Roots {
 public:
  static constexpr int Words(int radix) {
    return kFine + kRowSteps + kLastSteps + radix * (512 + 256);
  }

  // `words` points to that many.
  Roots(uint32_t* words, int radix) : words_(words), radix_(radix) {}

  __host__ __device__ int radix() const { return radix_; }
  __host__ __device__ uint32_t* words() const { return words_; }

  // What belongs into word i.
  __device__ uint32_t Word(uint32_t i) const {
    const uint32_t order = static_cast<uint32_t>(radix_) << 21;
    uint32_t exponent;
    if (i < kFine) {
      exponent = i;
    } else if ((i -= kFine) < kRowSteps) {
      exponent = i / 256 * (i % 256) * (order >> 12);
    } else if ((i -= kRowSteps) < kLastSteps) {
      exponent = i / 16 * (i % 16) * (order >> 8);
    } else if ((i -= kLastSteps) < radix_ * 512) {
      exponent = i << kLogFine;
    } else {
      i -= radix_ * 512;
      exponent = i / 256 * (i % 256) << 13;
    }
    return PowerOfMontgomery(ToMontgomery(RootOfUnity(order)), exponent);
  }

  // Power i, which is less than the order.
  __device__ __forceinline__ uint32_t Power(uint32_t i) const {
    return Less(TimesMontgomery(CoarsePower(i >> kLogFine), words_[i % kFine]),
                kPrime);
  }
  // Power 4096 i.
  __device__ __forceinline__ uint32_t CoarsePower(uint32_t i) const {
    return words_[kFine + kRowSteps + kLastSteps + i];
  }
  // The factors of a step's output q at place t: power q t of a root of order
  // 4096, in the first step of a row, for q < 16 and t < 256;
  __device__ __forceinline__ const uint32_t* RowStep() const {
    return words_ + kFine;
  }
  // of one of order 256 in the step after it, for q < 16 and t < 16;
  __device__ __forceinline__ const uint32_t* LastStep() const {
    return words_ + kFine + kRowSteps;
  }
  // of one of order 256 `radix` in the first step of a column, for q < radix
  // and t < 256.
  __device__ __forceinline__ const uint32_t* ColumnStep() const {
    return words_ + kFine + kRowSteps + kLastSteps + radix_ * 512;
  }

 private:
  static constexpr int kLogFine = 12;
  static constexpr uint32_t kFine = 1 << kLogFine;
  static constexpr uint32_t kRowSteps = 16 * 256;
  static constexpr uint32_t kLastSteps = 16 * 16;

  uint32_t* words_;
  int radix_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_ROOTS_CUH_
