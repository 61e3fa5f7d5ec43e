// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The functions and operators of pass_speed_test in CUDA C++, for its peers.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_FUNCTIONS_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_FUNCTIONS_CUH_

#include <cstdint>

namespace concord::sequence {

struct SixMaps {
  __host__ __device__ std::int32_t operator()(std::int32_t x) const {
    const auto u = static_cast<std::uint32_t>(x);
    return static_cast<std::int32_t>(((((u * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff);
  }
};

// SixMaps eight times over.
struct FortyEightMaps {
  __device__ std::int32_t operator()(std::int32_t x) const {
#pragma unroll
    for (int k = 0; k < 8; ++k) x = SixMaps()(x);
    return x;
  }
};

// Of floats no two operations may become one.
struct FortyEightFloatMaps {
  __device__ float operator()(std::int32_t x) const {
    auto y = static_cast<float>(x);
#pragma unroll
    for (int k = 0; k < 24; ++k) y = y * 0.75f + 1.5f;
    return y;
  }
};

struct KeepsThreeQuarters {
  __host__ __device__ bool operator()(std::int32_t v) const {
    return (v & 7) < 6;
  }
};

struct Brackets {
  std::int32_t sum, low;
};

struct MakeBrackets {
  __host__ __device__ Brackets operator()(std::int32_t x) const {
    return {x, x < 0 ? x : 0};
  }
};

struct CombineBrackets {
  __host__ __device__ Brackets operator()(const Brackets& a,
                                          const Brackets& b) const {
    const std::int32_t low = a.sum + b.low;
    return {a.sum + b.sum, a.low < low ? a.low : low};
  }
};

// Sums of a range, of its best beginning, its best end, its best part.
struct RangeSums {
  std::int64_t sum, first, last, best;
};

struct MakeRun {
  __host__ __device__ RangeSums operator()(std::int32_t x) const {
    return {x, x, x, x};
  }
};

struct CombineRuns {
  static __host__ __device__ std::int64_t Max(std::int64_t a, std::int64_t b) {
    return a < b ? b : a;
  }
  __host__ __device__ RangeSums operator()(const RangeSums& a,
                                           const RangeSums& b) const {
    return {a.sum + b.sum, Max(a.first, a.sum + b.first),
            Max(b.last, b.sum + a.last),
            Max(Max(a.best, b.best), a.last + b.first)};
  }
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_COMPILED_FUNCTIONS_CUH_
