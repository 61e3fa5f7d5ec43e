// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The values of a type between two bounds that are doubles.

#ifndef CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
#define CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace concord {

// The least and the most value of T that lie between the bounds; nothing where
// none does. A bound that is not given is that of T. Bounds are finite.
template <typename T>
std::optional<std::pair<T, T>> ValuesBetween(std::optional<double> least,
                                             std::optional<double> most) {
  using Limits = std::numeric_limits<T>;
  constexpr bool kIsWhole = std::is_integral_v<T>;
  std::pair<T, T> values(Limits::lowest(), Limits::max());
  const auto lowest = static_cast<double>(Limits::lowest());
  // Of integers, the number behind the largest: that is a double.
  const double end = kIsWhole ? std::ldexp(1.0, Limits::digits)
                              : static_cast<double>(Limits::max());
  if (least.has_value()) {
    const double bound = kIsWhole ? std::ceil(*least) : *least;
    if (kIsWhole ? bound >= end : bound > end) return std::nullopt;
    if (bound > lowest) values.first = static_cast<T>(bound);
    if constexpr (!kIsWhole) {
      if (values.first < bound) {
        values.first = std::nextafter(values.first, Limits::infinity());
      }
    }
  }
  if (most.has_value()) {
    const double bound = kIsWhole ? std::floor(*most) : *most;
    if (bound < lowest) return std::nullopt;
    if (bound < end) values.second = static_cast<T>(bound);
    if constexpr (!kIsWhole) {
      if (values.second > bound) {
        values.second = std::nextafter(values.second, -Limits::infinity());
      }
    }
  }
  if (values.first > values.second) return std::nullopt;
  return values;
}

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
