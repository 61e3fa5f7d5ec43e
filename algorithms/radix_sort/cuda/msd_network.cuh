// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting a few words of one thread in its registers: the odd-even merge sort
// of K. E. Batcher ("Sorting networks and their applications", 1968).

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_NETWORK_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_NETWORK_CUH_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace concord::radix_sort {

// Which words are compared, one pair after the other.
template <int kWords>
struct Network {
  static constexpr int kMost = kWords * kWords;
  int low[kMost] = {};
  int high[kMost] = {};
  int size = 0;
};

template <int kWords>
constexpr Network<kWords> MakeNetwork() {
  Network<kWords> network;
  for (int run = 1; run < kWords; run *= 2) {
    for (int step = run; step >= 1; step /= 2) {
      for (int first = step % run; first + step < kWords; first += 2 * step) {
        for (int i = first; i < first + step && i + step < kWords; ++i) {
          // Only within what two runs are merged to.
          if (i / (2 * run) != (i + step) / (2 * run)) continue;
          network.low[network.size] = i;
          network.high[network.size] = i + step;
          ++network.size;
        }
      }
    }
  }
  return network;
}

// Words as they travel through a network: two of 16 bits in a register, which
// are compared each with its own.
struct HalfWords {
  uint32_t bits;
};

template <typename Word>
__device__ __forceinline__ void Order(Word& low, Word& high) {
  const Word smaller = high < low ? high : low;
  high = high < low ? low : high;
  low = smaller;
}
__device__ __forceinline__ void Order(HalfWords& low, HalfWords& high) {
  const uint32_t smaller = __vminu2(low.bits, high.bits);
  high.bits = __vmaxu2(low.bits, high.bits);
  low.bits = smaller;
}

template <int kWords, typename Lane, std::size_t... kPairs>
__device__ __forceinline__ void SortInRegisters(
    Lane (&words)[kWords], std::index_sequence<kPairs...>) {
  constexpr Network<kWords> kNetwork = MakeNetwork<kWords>();
  (Order(words[std::integral_constant<int, kNetwork.low[kPairs]>::value],
         words[std::integral_constant<int, kNetwork.high[kPairs]>::value]),
   ...);
}

template <int kWords, typename Lane>
__device__ __forceinline__ void SortInRegisters(Lane (&words)[kWords]) {
  SortInRegisters(words,
                  std::make_index_sequence<MakeNetwork<kWords>().size>());
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_NETWORK_CUH_
