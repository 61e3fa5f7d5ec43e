// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which elements of an array are looked at to know it, for the host and for
// kernels.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_SAMPLED_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_SAMPLED_H_

#include <cstdint>

namespace concord::radix_sort {

constexpr std::uint64_t Scatter(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  return (x ^ x >> 32) * 0xd6e8feb86659fd93u;
}

// Of each stretch of `step` vectors one: somewhere among them, so that no
// period of the keys is met.
constexpr std::int64_t SampledOf(std::int64_t stretch, std::int64_t step) {
  return static_cast<std::int64_t>(
      (Scatter(static_cast<std::uint64_t>(stretch)) >> 32) *
          static_cast<std::uint64_t>(step) >>
      32);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_SAMPLED_H_
