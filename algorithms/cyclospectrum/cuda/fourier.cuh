// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Fourier transforms of 1, 2, 4, 5, 8, 10, 16 and 20 elements in a thread's
// registers, in the field of field.cuh:
//
//   y[q] = x[0] + x[1] w^q + x[2] w^(2 q) + ..., w of order kSize
//
// What goes in is less than 2 kPrime. What comes out is any word.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FOURIER_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FOURIER_CUH_

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/field.cuh"

namespace concord::cyclospectrum {

// The power of a root of order 16.
template <int kPower>
__device__ __forceinline__ uint32_t TimesRoot16(uint32_t x) {
  if constexpr (kPower == 0) return x;
  constexpr Factor kFactor = Factor::Of(PowerOf(RootOfUnity(16), kPower));
  return Times(x, kFactor);
}

// Of four elements. The bounds are those of x0 and x2, and of x1 and x3, in
// units of the prime; what comes out is less than twice their sum.
template <int kEven, int kOdd>
__device__ __forceinline__ void Fourier4(uint32_t& x0, uint32_t& x1,
                                         uint32_t& x2, uint32_t& x3) {
  static_assert(2 * (kEven + kOdd) <= 25);
  const uint32_t even = x0 + x2;
  const uint32_t odd = x1 + x3;
  const uint32_t less = x0 - x2 + kEven * kPrime;
  const uint32_t turned = TimesRoot16<4>(x1 - x3 + kOdd * kPrime);
  x0 = even + odd;
  x1 = less + turned;
  x2 = even - odd + 2 * kOdd * kPrime;
  x3 = less - turned + 2 * kPrime;
}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[1]) {}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[2]) {
  const uint32_t sum = x[0] + x[1];
  x[1] = x[0] - x[1] + 2 * kPrime;
  x[0] = sum;
}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[4]) {
  Fourier4<2, 2>(x[0], x[1], x[2], x[3]);
}

// Of x[0], x[2], ... and of x[1], x[3], ... makes that of both.
template <int kSize>
__device__ __forceinline__ void FourierOfHalves(uint32_t (&x)[kSize]);

__device__ __forceinline__ void FourierOf(uint32_t (&x)[8]) {
  FourierOfHalves(x);
}

// As a product of two circular convolutions of cosines and sines
// (S. Winograd, "On computing the discrete Fourier transform", 1978).
__device__ __forceinline__ void FourierOf(uint32_t (&x)[5]) {
  constexpr uint32_t kRoot = RootOfUnity(5);
  constexpr uint32_t kHalf = (kPrime + 1) / 2;
  constexpr auto kMean = [](uint32_t power, uint32_t other) {
    return static_cast<uint32_t>((uint64_t{power} + other) * kHalf % kPrime);
  };
  constexpr uint32_t kCosine1 = kMean(kRoot, PowerOf(kRoot, 4));
  constexpr uint32_t kCosine2 = kMean(PowerOf(kRoot, 2), PowerOf(kRoot, 3));
  constexpr uint32_t kSine1 = kMean(kRoot, kPrime - PowerOf(kRoot, 4));
  constexpr uint32_t kSine2 =
      kMean(PowerOf(kRoot, 2), kPrime - PowerOf(kRoot, 3));
  constexpr Factor kSum =
      Factor::Of((kMean(kCosine1, kCosine2) + kPrime - 1) % kPrime);
  constexpr Factor kDifference = Factor::Of(kMean(kCosine1, kPrime - kCosine2));
  constexpr Factor kBoth = Factor::Of(kSine2);
  constexpr Factor kFirst = Factor::Of((kSine1 + kPrime - kSine2) % kPrime);
  constexpr Factor kSecond = Factor::Of((kSine1 + kSine2) % kPrime);
  const uint32_t sum14 = x[1] + x[4];
  const uint32_t sum23 = x[2] + x[3];
  const uint32_t less14 = x[1] - x[4] + 2 * kPrime;
  const uint32_t less23 = x[2] - x[3] + 2 * kPrime;
  x[0] += sum14 + sum23;                                      // < 10
  const uint32_t middle = x[0] + Times(sum14 + sum23, kSum);  // < 12
  const uint32_t apart = Times(sum14 - sum23 + 4 * kPrime, kDifference);
  const uint32_t both = Times(less14 + less23, kBoth);
  const uint32_t sine1 = both + Times(less14, kFirst);  // < 4
  const uint32_t sine2 = both - Times(less23, kSecond) + 2 * kPrime;
  const uint32_t cosine1 = middle + apart;  // < 14
  const uint32_t cosine2 = middle - apart + 2 * kPrime;
  x[1] = cosine1 + sine1;
  x[2] = cosine2 + sine2;
  x[3] = cosine2 - sine2 + 4 * kPrime;
  x[4] = cosine1 - sine1 + 4 * kPrime;
}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[10]) {
  FourierOfHalves(x);
}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[20]) {
  FourierOfHalves(x);
}

template <int kSize, int kPower>
__device__ __forceinline__ uint32_t TimesRoot(uint32_t x) {
  constexpr Factor kFactor = Factor::Of(PowerOf(RootOfUnity(kSize), kPower));
  return Times(x, kFactor);
}

// y[q] and y[q + kSize / 2] for the first kCount q.
template <int kSize, int kCount>
__device__ __forceinline__ void JoinHalves(const uint32_t* even,
                                           const uint32_t* odd,
                                           uint32_t (&x)[kSize]) {
  if constexpr (kCount > 0) {
    JoinHalves<kSize, kCount - 1>(even, odd, x);
    constexpr int q = kCount - 1;
    const uint32_t turned = TimesRoot<kSize, q>(odd[q]);
    x[q] = even[q] + turned;
    x[q + kSize / 2] = even[q] - turned + 2 * kPrime;
  }
}

// Each doubling of the size adds 2 to the bound, which is 8 for 4 elements and
// 18 for 5.
template <int kSize>
__device__ __forceinline__ void FourierOfHalves(uint32_t (&x)[kSize]) {
  uint32_t even[kSize / 2];
  uint32_t odd[kSize / 2];
#pragma unroll
  for (int i = 0; i < kSize / 2; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  FourierOf(even);
  FourierOf(odd);
  JoinHalves<kSize, kSize / 2>(even, odd, x);
}

// y[q + 4 r] out of column j's y[q] w^(j q), j = 0, ..., 3.
template <int kColumn>
__device__ __forceinline__ void TurnColumn(uint32_t (&x)[16]) {
  x[kColumn + 4] = TimesRoot16<kColumn>(x[kColumn + 4]);
  x[kColumn + 8] = TimesRoot16<2 * kColumn>(x[kColumn + 8]);
  x[kColumn + 12] = TimesRoot16<3 * kColumn>(x[kColumn + 12]);
}

__device__ __forceinline__ void FourierOf(uint32_t (&x)[16]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    Fourier4<2, 2>(x[j], x[j + 4], x[j + 8], x[j + 12]);
  }
  TurnColumn<1>(x);
  TurnColumn<2>(x);
  TurnColumn<3>(x);
  // The sums of all columns are less than 8 kPrime.
  x[0] = Less(x[0], 4 * kPrime);
  x[2] = Less(x[2], 4 * kPrime);
  Fourier4<4, 8>(x[0], x[1], x[2], x[3]);
#pragma unroll
  for (int q = 1; q < 4; ++q) {
    Fourier4<8, 2>(x[4 * q], x[4 * q + 1], x[4 * q + 2], x[4 * q + 3]);
  }
  // x[4 q + r] is y[q + 4 r].
#pragma unroll
  for (int q = 0; q < 4; ++q) {
#pragma unroll
    for (int r = q + 1; r < 4; ++r) {
      const uint32_t swapped = x[4 * q + r];
      x[4 * q + r] = x[4 * r + q];
      x[4 * r + q] = swapped;
    }
  }
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FOURIER_CUH_
