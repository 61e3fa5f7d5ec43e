// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Lengths of runs as any caller may give them, and a run's elements.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_LENGTHS_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_LENGTHS_CUH_

#include <cstdint>
#include <limits>

#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::run_length_decode {

template <typename Length>
__device__ __forceinline__ int64_t LengthOf(const Length* lengths, int64_t k,
                                            int64_t runs) {
  return k < runs ? max(static_cast<int64_t>(lengths[k]), int64_t{0}) : 0;
}

// The largest size also stands for all that int64 does not hold, so that sums
// of any lengths rise.
inline constexpr uint64_t kMostSize = std::numeric_limits<int64_t>::max();

struct AddSizes {
  __device__ static int64_t Identity() { return 0; }
  __device__ int64_t operator()(int64_t a, int64_t b) const {
    const uint64_t sum = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
    return static_cast<int64_t>(min(sum, kMostSize));
  }
};

// Writes `count` equal elements from `to` on; a whole warp calls it.
template <typename Word>
__device__ __forceinline__ void FillByWarp(Word* to, int count, Word value) {
  constexpr int kLanes = Vector<Word>::kLanes;
  // Whole vectors where there are any.
  const auto past = static_cast<int>(reinterpret_cast<uintptr_t>(to) %
                                     kVectorBytes / sizeof(Word));
  const int begin = min((kLanes - past) % kLanes, count);
  const int vectors = (count - begin) / kLanes;
  const int end = begin + vectors * kLanes;
  const Vector<Word> vector = Filled(value);
  auto* const middle = reinterpret_cast<Vector<Word>*>(to + begin);
  if (LaneId() < begin) to[LaneId()] = value;
  for (int i = LaneId(); i < vectors; i += kWarpSize) middle[i] = vector;
  if (end + LaneId() < count) to[end + LaneId()] = value;
}

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_LENGTHS_CUH_
