// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic modulo a prime in words of 32 bits, for number-theoretic
// transforms.
//
// Values stand for their residues. Few are reduced: the prime is so small that
// a word holds 25 times as much, and the product of any word with a reduced one
// comes out below twice the prime (D. Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014).

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FIELD_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FIELD_CUH_

#include <cuda_runtime.h>

#include <cstdint>

namespace concord::cyclospectrum {

inline constexpr uint32_t kPrime = (5u << 25) + 1;

// base^exponent, reduced.
__host__ __device__ constexpr uint32_t PowerOf(uint32_t base,
                                               uint32_t exponent) {
  uint64_t power = 1;
  for (uint64_t square = base; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) power = power * square % kPrime;
    square = square * square % kPrime;
  }
  return static_cast<uint32_t>(power);
}

// One of that order, which divides 5 * 2^25. 3 generates the field's units.
__host__ __device__ constexpr uint32_t RootOfUnity(uint32_t order) {
  return PowerOf(3, (kPrime - 1) / order);
}

// A factor that is known to the compiler, with its quotient by the prime
// (V. Shoup).
struct Factor {
  uint32_t value;
  uint32_t quotient;

  static constexpr Factor Of(uint32_t value) {
    return {value, static_cast<uint32_t>((uint64_t{value} << 32) / kPrime)};
  }
};

// Less than 2 kPrime, for any x.
__device__ __forceinline__ uint32_t Times(uint32_t x, Factor factor) {
  return x * factor.value - __umulhi(x, factor.quotient) * kPrime;
}

// A reduced factor times 2^32, reduced (P. L. Montgomery, "Modular
// multiplication without trial division", 1985).
__host__ __device__ constexpr uint32_t ToMontgomery(uint32_t x) {
  return static_cast<uint32_t>((uint64_t{x} << 32) % kPrime);
}

// x factor / 2^32, less than 2 kPrime, for any x and a reduced factor.
__device__ __forceinline__ uint32_t TimesMontgomery(uint32_t x,
                                                    uint32_t factor) {
  // kPrime * kInverse = 1 modulo 2^32, as 25 * 2^50 = 0.
  constexpr uint32_t kInverse = 1 - (5u << 25);
  static_assert(kPrime * kInverse == 1);
  const uint64_t product = uint64_t{x} * factor;
  const auto low = static_cast<uint32_t>(product);
  const auto high = static_cast<uint32_t>(product >> 32);
  return high + kPrime - __umulhi(low * kInverse, kPrime);
}

// x - bound where that is not negative.
__device__ __forceinline__ uint32_t Less(uint32_t x, uint32_t bound) {
  return min(x, x - bound);
}

// factor^exponent, where both powers are factors for TimesMontgomery.
__device__ __forceinline__ uint32_t PowerOfMontgomery(uint32_t factor,
                                                      uint32_t exponent) {
  uint32_t power = ToMontgomery(1);
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) power = Less(TimesMontgomery(power, factor), kPrime);
    factor = Less(TimesMontgomery(factor, factor), kPrime);
  }
  return power;
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_FIELD_CUH_
