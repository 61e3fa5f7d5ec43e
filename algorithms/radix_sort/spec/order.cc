// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/spec/order.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace concord::radix_sort {
namespace {

// How many keys of the type come before this one in ascending order.
template <typename T>
std::uint64_t Rank(T key) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits =
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kHalf = std::numeric_limits<Bits>::max() / 2 + 1;
    Bits bits;
    std::memcpy(&bits, &key, sizeof(T));
    // The negative half counts downwards, from the NaN of the largest payload.
    return bits >= kHalf ? std::numeric_limits<Bits>::max() - bits
                         : kHalf + bits;
  } else {
    return static_cast<std::uint64_t>(key) -
           static_cast<std::uint64_t>(std::numeric_limits<T>::lowest());
  }
}

// Past this many elements, sorting by comparisons takes longer than the runs
// of an implementation that it is to check.
constexpr std::size_t kMostCompared = std::size_t{1} << 20;
constexpr int kDigitBits = 16;

}  // namespace

std::vector<std::uint64_t> RadixSortRanks(const HostArray& keys,
                                          const RadixSort::Options& options) {
  std::vector<std::uint64_t> ranks(static_cast<std::size_t>(keys.size()));
  const RadixSortBits bits = RadixSortBitsOf(options, keys.type());
  const int width = 8 * static_cast<int>(SizeOf(keys.type()));
  const std::uint64_t last = ~std::uint64_t{0} >> (64 - width);
  Dispatch(keys.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      std::uint64_t rank = Rank<T>(keys.data<T>()[i]);
      if (options.order == RadixSort::Order::kDescending) rank = last - rank;
      // The bits of a range, by division; a shift by 64 means nothing.
      if (bits.end < 64) rank %= std::uint64_t{1} << bits.end;
      ranks[i] = bits.first < 64 ? rank >> bits.first : 0;
    }
  });
  return ranks;
}

std::vector<std::int64_t> StablePositions(
    const std::vector<std::uint64_t>& ranks) {
  std::vector<std::int64_t> positions(ranks.size());
  std::iota(positions.begin(), positions.end(), 0);
  if (ranks.size() <= kMostCompared) {
    std::stable_sort(
        positions.begin(), positions.end(),
        [&](std::int64_t a, std::int64_t b) { return ranks[a] < ranks[b]; });
    return positions;
  }
  const std::uint64_t largest = *std::max_element(ranks.begin(), ranks.end());
  std::vector<std::int64_t> sorted(positions.size());
  for (int shift = 0; shift < 64 && largest >> shift != 0;
       shift += kDigitBits) {
    std::vector<std::int64_t> places((std::size_t{1} << kDigitBits) + 1);
    const auto digit = [&](std::int64_t position) {
      return ranks[position] >> shift & ((1 << kDigitBits) - 1);
    };
    for (std::int64_t position : positions) ++places[digit(position) + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (std::int64_t position : positions) {
      sorted[places[digit(position)]++] = position;
    }
    positions.swap(sorted);
  }
  return positions;
}

HostArray Gather(const HostArray& from,
                 const std::vector<std::int64_t>& positions) {
  HostArray to(from.type(), {static_cast<std::int64_t>(positions.size())});
  Dispatch(from.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      to.data<T>()[i] = from.data<T>()[positions[i]];
    }
  });
  return to;
}

}  // namespace concord::radix_sort
