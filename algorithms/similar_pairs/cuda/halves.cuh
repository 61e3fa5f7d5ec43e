// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Points in half precision, whose products matrix units add up.
//
// With points x and y, their distances r(x) and r(y) to where they would be
// unrounded, and R the root of the limit, scaled, similar sketches have
//
//   |x - y| <= R + r(x) + r(y)
//
// (points.h), and so
//
//   |x|^2 + |y|^2 - 2 x y <= (R + r(x) + r(y))^2
//                         <= R^2 + 2 R (r(x) + r(y)) + 2 r(x)^2 + 2 r(y)^2
//
// This falls apart into what each row knows of itself: 0 <= x y + w(x) + w(y),
//
//   w(x) = -|x|^2 / 2 + R r(x) + r(x)^2 + R^2 / 4 + e(x)
//
// where e makes up for rounding. Products of halves are exact in single
// precision, in which "at least" matrix units add (PTX ISA, mma). Nothing is
// said of the order, or of the direction of rounding: each of n additions may
// be off by 2^-23 of all that is added, without signs. That is at most the sum
// over both rows of
//
//   a(x) = |x|^2 + R r(x) + r(x)^2 + R^2 / 4
//
// and e(x) = (2 n + 32) 2^-22 a(x) is more than twice what is needed.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_HALVES_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_HALVES_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/points.cuh"

namespace concord::similar_pairs {

// Numbers that stand together: a row of the 8 by 8 matrices that matrix units
// take.
inline constexpr int kOctet = 8;
// Points have a multiple of so many numbers.
inline constexpr int kHalvesSlab = 32;

struct Halves {
  using Number = __half;
  static constexpr int kPadding = kHalvesSlab;
  static constexpr int kFloats = kPanel;
  // The largest number of usual rows is scaled to 2^10, and none is above 2^13:
  // each has 24 bits below that of the usual row, or is zero.
  static constexpr int kUsual = 10;
  static constexpr double kLargest = 0x1p13;
  static constexpr float kLeast = 0x1p-14f;
  // Of longer sketches rounding says nothing.
  static constexpr int64_t kMostDim = int64_t{1} << 20;
  // Weights that rule a pair out, or in, whatever the other row is.
  static constexpr float kFar = -0x1p100f;
  static constexpr double kMost = 0x1p126;

  Shape shape;
  __half* numbers;  // [panels, padded_dim / kOctet, kPanel, kOctet]
  float* weights;   // [panels, kPanel]: w, as above

  // Octet `octet` of row `place` of a panel.
  __device__ __forceinline__ __half* Octet(int64_t panel, int64_t octet,
                                           int place) const {
    const int64_t octets = shape.padded_dim / kOctet;
    return numbers + ((panel * octets + octet) * kPanel + place) * kOctet;
  }

  // A float32 that half precision has, and not as one of its smallest, whose
  // treatment is not defined.
  __device__ float Rounded(double half, double scale) const {
    const float rounded =
        __half2float(__float2half_rn(PointOf(half, scale, kLargest)));
    return fabsf(rounded) < kLeast ? 0 : rounded;
  }
  __device__ void Store(int64_t panel, int64_t k, int place, float x) const {
    Octet(panel, k / kOctet, place)[k % kOctet] = __float2half_rn(x);
  }
  __device__ void Finish(int64_t panel, int place, bool is_far,
                         double squares) const {
    const double root = shape.scale->root;
    const auto n = static_cast<double>(shape.padded_dim);
    // 2^-11 of each number, twice rounded, or all of one that became zero.
    const double off = sqrt(squares) * 0x1.1p-11 + sqrt(n) * 0x1.1p-14;
    const double wide = root * off + off * off + root * root / 4;
    const double all = squares + wide;
    const double weight =
        -squares / 2 + wide + (2 * n + 32) * 0x1p-22 * all + 0x1p-40;
    weights[panel * kPanel + place] =
        is_far                 ? kFar
        : shape.dim > kMostDim ? static_cast<float>(kMost)
        : !(weight < kMost)    ? static_cast<float>(kMost)
                               : __double2float_ru(weight);
  }
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_HALVES_CUH_
