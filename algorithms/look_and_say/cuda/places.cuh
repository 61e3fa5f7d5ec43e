// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PLACES_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PLACES_CUH_

#include <cstdint>

#include "concord/backends/cuda/launch.cuh"

namespace concord::look_and_say {

// The article's block.
inline constexpr int kPlaceThreads = 512;

inline LaunchShape PlaceShape(int64_t size) {
  return {DivideUp(size, kPlaceThreads), kPlaceThreads};
}

// A thread for each digit. The thread of a run's first digit says the run into
// the two places of each of its digits, with write(place, symbol); symbol is -1
// for those that stay empty. There is always room: no count is longer than its
// run.
template <typename Write>
__device__ void SayRunIntoPlaces(const uint8_t* digits, int64_t size,
                                 bool decimal, const Write& write) {
  const int64_t first = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (first >= size) return;
  const uint8_t digit = digits[first];
  if (first > 0 && digits[first - 1] == digit) return;
  int64_t count = 1;
  while (first + count < size && digits[first + count] == digit) ++count;

  int length = 1;
  if (decimal) {
    for (int64_t rest = count; rest >= 10; rest /= 10) ++length;
  }
  int64_t rest = count;
  for (int i = length - 1; i >= 0; --i) {
    write(2 * first + i, static_cast<int>(decimal ? rest % 10 : rest));
    rest /= 10;
  }
  write(2 * first + length, digit);
  for (int64_t i = length + 1; i < 2 * count; ++i) write(2 * first + i, -1);
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_PLACES_CUH_
