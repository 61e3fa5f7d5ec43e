// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Decoupled look-back, as in backends/cuda/lookback.cuh, for 256 sums at once:
// how many elements with each digit the tiles before this one have. A thread
// looks back for one digit, and neighbouring threads read neighbouring words.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_LOOKBACK_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_LOOKBACK_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/rank.cuh"

namespace concord::radix_sort {

// A word has the epoch of the launch that wrote it in its upper 22 bits, then
// two of state, then the count: one access hands over all of them. Words of
// other epochs count as not written, so nothing is cleared between launches.
using DigitStatus = unsigned long long;

inline constexpr int kCountBits = 40;
inline constexpr int64_t kMostCounted = int64_t{1} << kCountBits;
// The owner of the words zeroes them before their epochs repeat.
inline constexpr int64_t kDigitEpochs = int64_t{1} << (64 - kCountBits - 2);

// `kWindow` words are asked for at a time: a hop takes as long as a trip to the
// second-level cache, however many go together.
template <int kWindow>
class DigitLookback {
 public:
  __device__ DigitLookback(DigitStatus* words, uint32_t epoch)
      : words_(words + threadIdx.x),
        flags_(static_cast<DigitStatus>(epoch) << (kCountBits + 2) >>
               kCountBits) {}

  __device__ void PublishAggregate(uint32_t tile, uint32_t count) {
    Store(tile, flags_ | kAggregate, count);
  }
  __device__ void PublishPrefix(uint32_t tile, DigitStatus count) {
    Store(tile, flags_ | kPrefix, count);
  }

  // How many elements with this thread's digit stand in the tiles before.
  __device__ DigitStatus ExclusivePrefix(uint32_t tile) const {
    DigitStatus prefix = 0;
    int64_t watched = int64_t{tile} - 1;
    while (watched >= 0) {
      DigitStatus words[kWindow];
#pragma unroll
      for (int i = 0; i < kWindow; ++i) {
        words[i] = watched - i >= 0 ? Load(watched - i) : 0;
      }
#pragma unroll
      for (int i = 0; i < kWindow; ++i) {
        const DigitStatus flags = words[i] >> kCountBits;
        if (flags == (flags_ | kPrefix)) {
          return prefix + (words[i] & (kMostCounted - 1));
        }
        // What is not there yet is asked for again, with those before it.
        if (flags != (flags_ | kAggregate)) break;
        prefix += words[i] & (kMostCounted - 1);
        --watched;
      }
    }
    return prefix;
  }

 private:
  static constexpr DigitStatus kAggregate = 1;
  static constexpr DigitStatus kPrefix = 2;

  __device__ void Store(uint32_t tile, DigitStatus flags, DigitStatus count) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(
                     words_ + int64_t{tile} * kDigits),
                 "l"(flags << kCountBits | count)
                 : "memory");
  }
  __device__ DigitStatus Load(int64_t tile) const {
    DigitStatus word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(words_ + tile * kDigits)
                 : "memory");
    return word;
  }

  DigitStatus* words_;
  DigitStatus flags_;  // the epoch, above the two bits of state
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_LOOKBACK_CUH_
