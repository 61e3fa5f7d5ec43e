// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The values of a type between two numbers, which need not be of that type.

#ifndef CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
#define CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "concord/core/number.h"

namespace concord {

// The least value of T that is not under the bound, a finite number, and the
// most that is not over it; nothing where T has none.
template <typename T>
std::optional<T> LeastFrom(const Number& bound);
template <typename T>
std::optional<T> MostUpTo(const Number& bound);

// The least and the most value of T that lie between the bounds; nothing where
// none does. A bound that is not given is that of T.
template <typename T>
std::optional<std::pair<T, T>> ValuesBetween(const std::optional<Number>& least,
                                             const std::optional<Number>& most);

// --- Implementation ---

namespace described_internal {

// a < b as numbers, for integers and finite floats of any types.
template <typename A, typename B>
bool IsLess(A a, B b) {
  if constexpr (std::is_floating_point_v<A> == std::is_floating_point_v<B>) {
    if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
      return a < b;
    } else if constexpr (std::is_signed_v<A>) {
      return a < 0 || static_cast<std::uint64_t>(a) < b;
    } else {
      return b > 0 && a < static_cast<std::uint64_t>(b);
    }
  } else if constexpr (std::is_floating_point_v<A>) {
    // The number behind the largest integer, and the lowest: both are doubles.
    if (a >= std::ldexp(1.0, std::numeric_limits<B>::digits)) return false;
    if (a < static_cast<double>(std::numeric_limits<B>::lowest())) return true;
    return static_cast<B>(std::floor(a)) < b;
  } else {
    const auto above = std::ceil(b);
    if (above >= std::ldexp(1.0, std::numeric_limits<A>::digits)) return true;
    if (b < static_cast<double>(std::numeric_limits<A>::lowest())) return false;
    return a < static_cast<A>(above);
  }
}

// Whether the bound is greater than a value of T, or less. The numbers
// themselves are compared, without a rounding.
template <typename T>
bool IsOver(const Number& bound, T value) {
  return bound.Visit([&](auto number) { return IsLess(value, number); });
}
template <typename T>
bool IsUnder(const Number& bound, T value) {
  return bound.Visit([&](auto number) { return IsLess(number, value); });
}

// A finite value of T beside the bound, or the bound itself.
template <typename T>
T Near(const Number& bound) {
  using Limits = std::numeric_limits<T>;
  if (IsOver(bound, Limits::max())) return Limits::max();
  if (IsUnder(bound, Limits::lowest())) return Limits::lowest();
  return bound.As<T>();
}

}  // namespace described_internal

template <typename T>
std::optional<T> LeastFrom(const Number& bound) {
  using Limits = std::numeric_limits<T>;
  if (described_internal::IsOver(bound, Limits::max())) return std::nullopt;
  const T near = described_internal::Near<T>(bound);
  if (!described_internal::IsOver(bound, near)) return near;
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(near, Limits::infinity());
  } else {
    return static_cast<T>(near + 1);
  }
}

template <typename T>
std::optional<T> MostUpTo(const Number& bound) {
  using Limits = std::numeric_limits<T>;
  if (described_internal::IsUnder(bound, Limits::lowest())) return std::nullopt;
  const T near = described_internal::Near<T>(bound);
  if (!described_internal::IsUnder(bound, near)) return near;
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(near, -Limits::infinity());
  } else {
    return static_cast<T>(near - 1);
  }
}

template <typename T>
std::optional<std::pair<T, T>> ValuesBetween(
    const std::optional<Number>& least, const std::optional<Number>& most) {
  using Limits = std::numeric_limits<T>;
  const std::optional<T> first =
      least.has_value() ? LeastFrom<T>(*least) : Limits::lowest();
  const std::optional<T> last =
      most.has_value() ? MostUpTo<T>(*most) : Limits::max();
  if (!first.has_value() || !last.has_value() || *first > *last) {
    return std::nullopt;
  }
  return std::pair(*first, *last);
}

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
