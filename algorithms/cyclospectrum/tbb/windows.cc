// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/cyclospectrum/tbb/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

namespace concord::cyclospectrum {
namespace {

// Windows that are added up in registers, 2^kPlanesAtOnce: with half as many
// the sums are read and written twice as often, with twice as many they no
// longer stay in registers.
constexpr int kPlanesAtOnce = 5;
constexpr std::int64_t kWindowsAtOnce = 1 << kPlanesAtOnce;

}  // namespace
}  // namespace concord::cyclospectrum

#define CONCORD_SIMD_FILE "concord/algorithms/cyclospectrum/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::cyclospectrum {
namespace {

// A window takes as long whatever it has set, a piece that is counted by itself
// some cycles.
constexpr std::uint64_t kMostValuesOfMass = 256;
// Below, other things matter more.
constexpr std::int64_t kFewestMasses = 256;

constexpr std::int64_t kWindowWords = MarkedSums::kValues / 64;

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
  const auto window_end = static_cast<std::int64_t>(values / 64) + kWindowWords;
  // One more, whose bits move into the word before it.
  const std::int64_t words =
      static_cast<std::int64_t>(sums[n] / 64) + 1 + window_end + 1;
  bits_.reset(
      new std::uint64_t[static_cast<std::size_t>(8 * words + window_end + 1)]);
  std::uint64_t* const bits = bits_.get();
  std::fill_n(bits, words, 0);
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    const auto word = static_cast<std::int64_t>(sums[i] / 64);
    if (word >= words) break;
    bits[word] |= std::uint64_t{1} << sums[i] % 64;
  }
  for (int shift = 1; shift < 8; ++shift) {
    std::uint64_t* const shifted = bits + shift * words;
    for (std::int64_t i = 0; i < words - 1; ++i) {
      shifted[i] = bits[i] >> shift | bits[i + 1] << (64 - shift);
    }
    shifted[words - 1] = 0;
  }
  std::fill_n(bits + 8 * words, window_end + 1, 0);

  const auto* const bytes = reinterpret_cast<const unsigned char*>(bits);
  windows_.assign(static_cast<std::size_t>((n + kWindowsAtOnce - 1) /
                                           kWindowsAtOnce * kWindowsAtOnce),
                  bytes + 64 * words);
  std::int64_t next[9] = {};
  for (std::int64_t i = 0; i < n; ++i) ++next[sums[i] % 8 + 1];
  std::partial_sum(next, next + 8, next);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto shift = static_cast<std::int64_t>(sums[i] % 8);
    windows_[static_cast<std::size_t>(next[shift]++)] =
        bytes + 8 * shift * words + sums[i] / 8;
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

}  // namespace concord::cyclospectrum
