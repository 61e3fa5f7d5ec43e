// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Bounds, and the values of a type between two of them.

#ifndef CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
#define CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace concord {

// A whole number of 64 bits, exactly, or a finite float64.
class Bound {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Bound(T value) {  // NOLINT: a literal is a bound
    if constexpr (std::is_floating_point_v<T>) {
      value_ = double{value};
    } else if constexpr (std::is_signed_v<T>) {
      value_ = std::int64_t{value};
    } else {
      value_ = std::uint64_t{value};
    }
  }

  // The least value of T that is not under the bound, and the most that is not
  // over it; nothing where T has none.
  template <typename T>
  std::optional<T> LeastOf() const;
  template <typename T>
  std::optional<T> MostOf() const;

  // Every digit of a whole number, and as many of a float64 as tell it from
  // all others.
  std::string ToString() const;

 private:
  // Whether the bound is greater than a value of T, or less. The numbers
  // themselves are compared, without a rounding.
  template <typename T>
  bool IsOver(T value) const;
  template <typename T>
  bool IsUnder(T value) const;
  // A finite value of T beside the bound, or the bound itself.
  template <typename T>
  T Near() const;

  std::variant<std::int64_t, std::uint64_t, double> value_;
};

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

}  // namespace described_internal

template <typename T>
bool Bound::IsOver(T value) const {
  return std::visit(
      [&](auto bound) { return described_internal::IsLess(value, bound); },
      value_);
}

template <typename T>
bool Bound::IsUnder(T value) const {
  return std::visit(
      [&](auto bound) { return described_internal::IsLess(bound, value); },
      value_);
}

template <typename T>
T Bound::Near() const {
  using Limits = std::numeric_limits<T>;
  if (IsOver(Limits::max())) return Limits::max();
  if (IsUnder(Limits::lowest())) return Limits::lowest();
  return std::visit([](auto bound) { return static_cast<T>(bound); }, value_);
}

template <typename T>
std::optional<T> Bound::LeastOf() const {
  if (IsOver(std::numeric_limits<T>::max())) return std::nullopt;
  const T near = Near<T>();
  if (!IsOver(near)) return near;
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(near, std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(near + 1);
  }
}

template <typename T>
std::optional<T> Bound::MostOf() const {
  if (IsUnder(std::numeric_limits<T>::lowest())) return std::nullopt;
  const T near = Near<T>();
  if (!IsUnder(near)) return near;
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(near, -std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(near - 1);
  }
}

// The least and the most value of T that lie between the bounds; nothing where
// none does. A bound that is not given is that of T.
template <typename T>
std::optional<std::pair<T, T>> ValuesBetween(const std::optional<Bound>& least,
                                             const std::optional<Bound>& most) {
  using Limits = std::numeric_limits<T>;
  const std::optional<T> first =
      least.has_value() ? least->LeastOf<T>() : Limits::lowest();
  const std::optional<T> last =
      most.has_value() ? most->MostOf<T>() : Limits::max();
  if (!first.has_value() || !last.has_value() || *first > *last) {
    return std::nullopt;
  }
  return std::pair(*first, *last);
}

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_DESCRIBED_BOUNDS_H_
