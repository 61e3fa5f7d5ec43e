// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a first look in single precision tells which pairs cannot be similar, on
// every backend.
//
// Each sketch becomes a point x of float32: a number is its difference to the
// middle of its column, scaled by a power of two that all share and rounded.
// With r the distance from x to where it would be unrounded, and sqrt(L) the
// limit, scaled as well, two sketches that are similar have
//
//   |x - y| <= sqrt(L) + r(x) + r(y)
//
// by the triangle inequality. LimitOf has the square of the right side, and
// what the sum of the squares on the left may be rounded up in addition,
// whether or not a product and a sum are fused. Whoever is above it is not
// similar; everyone else has to be computed. Sums only grow, so one of the
// first few squares may be held against the limit as well.
//
// Which middle and which scale are chosen decides how much the first look tells
// apart, and never what is right.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_POINTS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_POINTS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/core/operators.h"

namespace concord::similar_pairs {

// Of float32: what the largest number of usual rows is scaled to, as a power of
// two, and the largest of all. Sums of squares are far from the largest of
// float32, whatever a few sketches may have.
constexpr int kUsual = 20;
constexpr double kLargest = 0x1p45;

// Where rows are that are similar to none, or not there at all.
constexpr float kFarAway = 0x1p60f;

// Half the difference of a number to the middle of its column, rounded once.
template <typename T>
CONCORD_HOST_DEVICE inline double HalfOf(T number, T middle) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    const auto apart = [](T more, T less) {
      return static_cast<double>(static_cast<Bits>(static_cast<Bits>(more) -
                                                   static_cast<Bits>(less))) *
             0.5;
    };
    return number >= middle ? apart(number, middle) : -apart(middle, number);
  } else {
    return static_cast<double>(number) * 0.5 -
           static_cast<double>(middle) * 0.5;
  }
}

// By which halves are multiplied if the largest of usual rows is `width`: that
// becomes 2^usual. Nothing overflows.
CONCORD_HOST_DEVICE inline double ScaleOf(double width, int usual = kUsual) {
  constexpr int kMost = 960;
  int exponent = 0;
  if (width > 0) std::frexp(width, &exponent);
  const int power = usual - exponent;
  return std::ldexp(1.0, power < kMost ? power : kMost);
}

// A number of a point. What is cut off, above `largest`, brings points closer
// together, never apart.
CONCORD_HOST_DEVICE inline float PointOf(double half, double scale,
                                         double largest = kLargest) {
  const double scaled = half * scale;
  return static_cast<float>(scaled < -largest  ? -largest
                            : scaled > largest ? largest
                                               : scaled);
}

// How far points with such sums of squares are from where they would be
// unrounded. Each number may be off by 2^-23 of its size, or by the least of
// float32.
CONCORD_HOST_DEVICE inline double ErrorOf(double squares, std::int64_t dim) {
  return std::sqrt(squares) * 0x1p-23 +
         std::sqrt(static_cast<double>(dim)) * 0x1p-100;
}

// Of the limit and all that sums of float64 may be rounded down, scaled.
CONCORD_HOST_DEVICE inline double RootOf(double limit, std::int64_t dim,
                                         double scale) {
  const auto n = static_cast<double>(dim);
  return std::sqrt(limit + limit * n * 0x1p-50 + n * 0x1p-1070) *
         (1 + 0x1p-50) * scale * 0.5;
}

// For two points with such errors, as above. `root` is RootOf the limit.
CONCORD_HOST_DEVICE inline float LimitOf(double root, double error_a,
                                         double error_b, std::int64_t dim) {
  const double sum = root + error_a + error_b;
  const auto n = static_cast<double>(dim);
  // Two parts more than the sum of squares needs, for the limit is rounded.
  const double limit = sum * sum * (1 + (n + 6) * 0x1p-23) + n * 0x1p-140;
  return limit < std::numeric_limits<float>::max()
             ? static_cast<float>(limit)
             : std::numeric_limits<float>::infinity();
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_POINTS_H_
