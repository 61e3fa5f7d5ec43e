// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/cyclospectrum/cyclospectrum_tbb_windows.h"

#include <algorithm>
#include <cstddef>

#include "backends/tbb/simd.h"

namespace concord {
namespace {

constexpr int kWindowWords = MarkedSums::kValues / 64;

struct alignas(64) WindowWords {
  std::uint64_t word[kWindowWords];
};

}  // namespace
}  // namespace concord

#define CONCORD_SIMD_FILE "algorithms/cyclospectrum/cyclospectrum_tbb_kernel.h"
#include "backends/tbb/simd_for_each.h"

namespace concord {
namespace {

// A window takes as long whatever it has set, a piece that is counted by itself
// some cycles.
constexpr std::uint64_t kMostValuesOfMass = 256;
// Below, other things matter more.
constexpr std::int64_t kFewestMasses = 256;

constexpr std::int64_t kWindowBytes = sizeof(WindowWords);
constexpr std::size_t kWindowsAtOnce = 16;

}  // namespace

template <typename Mass>
bool MarkedSums::Pays(const Mass* sums, std::int64_t n) {
  return n >= kFewestMasses &&
         sums[n] / kMostValuesOfMass < static_cast<std::uint64_t>(n) &&
         std::adjacent_find(sums, sums + n + 1) == sums + n + 1;
}

// A window starts at a byte, so the bits are there eight times, shifted by 0 to
// 7. Windows of the same shift follow each other: one of the eight is in use at
// a time. Behind them there is room for windows of no bits.
template <typename Mass>
MarkedSums::MarkedSums(const Mass* sums, std::int64_t n, std::uint64_t values) {
  const auto half_bytes = static_cast<std::int64_t>(values / 8) + kWindowBytes;
  const std::int64_t bytes =
      static_cast<std::int64_t>(sums[n] / 8) + 1 + half_bytes;
  bits_.resize(static_cast<std::size_t>(8 * bytes + half_bytes));
  const std::uint64_t end = 8 * static_cast<std::uint64_t>(bytes);
  windows_.reserve(static_cast<std::size_t>(n) + 8 * kWindowsAtOnce);
  for (unsigned shift = 0; shift < 8; ++shift) {
    unsigned char* const shifted = bits_.data() + shift * bytes;
    for (std::int64_t i = 0; i < 2 * n; ++i) {
      const std::uint64_t bit = sums[i] - shift;
      if (sums[i] >= shift && bit < end) {
        shifted[bit / 8] |= static_cast<unsigned char>(1u << bit % 8);
      }
      if (i < n && sums[i] % 8 == shift) {
        windows_.push_back(shifted + bit / 8);
      }
    }
  }
  while (windows_.size() % kWindowsAtOnce != 0) {
    windows_.push_back(bits_.data() + 8 * bytes);
  }
}

void MarkedSums::Count(std::uint64_t begin, std::uint32_t* counts) const {
  CONCORD_SIMD_CHOOSE(CountBits)
  (windows_.data(), static_cast<std::int64_t>(windows_.size() / kWindowsAtOnce),
   static_cast<std::int64_t>(begin / 8), counts);
}

template bool MarkedSums::Pays(const std::uint32_t*, std::int64_t);
template bool MarkedSums::Pays(const std::uint64_t*, std::int64_t);
template MarkedSums::MarkedSums(const std::uint32_t*, std::int64_t,
                                std::uint64_t);
template MarkedSums::MarkedSums(const std::uint64_t*, std::int64_t,
                                std::uint64_t);

}  // namespace concord
