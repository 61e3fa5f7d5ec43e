// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_RANDOM_H_
#define CONCORD_CORE_RANDOM_H_

#include <cstdint>

namespace concord {

// Random bits as a function of a seed and a position: the same on every
// machine and in every order. This is SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014), addressed by index.
constexpr std::uint64_t RandomBits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// The same, as a sequence.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed)
      : seed_(RandomBits(seed, 0x636f6e636f7264)) {}

  constexpr std::uint64_t Bits() { return RandomBits(seed_, index_++); }

  // In [0, bound); the bias, under bound / 2^64, is of no concern here.
  constexpr std::uint64_t Below(std::uint64_t bound) {
    // No part of ISO C++, which -pedantic need not say to those who include it.
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{Bits()} * bound) >> 64);
  }

  // In [0, 1), with 53 random bits.
  constexpr double Unit() {
    return static_cast<double>(Bits() >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

}  // namespace concord

#endif  // CONCORD_CORE_RANDOM_H_
