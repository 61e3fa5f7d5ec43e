// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

// Whether an integer of type T can be exactly `value`.
template <typename T, typename V>
bool IsInteger(V value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<V>) {
    // 2^bits of T, which V has even where it has not the largest T itself.
    const V past_the_largest = std::ldexp(V{1}, Limits::digits);
    return value >= static_cast<V>(Limits::min()) && value < past_the_largest &&
           value == std::trunc(value);
  } else if constexpr (std::is_signed_v<V>) {
    if (value < 0) {
      return std::is_signed_v<T> &&
             value >= static_cast<std::int64_t>(Limits::min());
    }
    return IsInteger<T>(static_cast<std::uint64_t>(value));
  } else {
    return value <= static_cast<std::uint64_t>(Limits::max());
  }
}

}  // namespace

absl::StatusOr<Number> Number::Parse(absl::string_view text) {
  return Guarded([&]() -> absl::StatusOr<Number> {
    std::int64_t with_sign;
    if (absl::SimpleAtoi(text, &with_sign)) return Number(with_sign);
    std::uint64_t without_sign;
    if (absl::SimpleAtoi(text, &without_sign)) return Number(without_sign);
    double real;
    if (!absl::SimpleAtod(text, &real)) {
      return InvalidArgumentError("'", text, "' is not a number");
    }
    // Too large a number has become infinite; only "inf" may be that.
    if (std::isinf(real) &&
        std::any_of(text.begin(), text.end(), absl::ascii_isdigit)) {
      return InvalidArgumentError("no element type can hold ", text);
    }
    return Number(real);
  });
}

bool Number::Fits(ElementType type) const {
  return Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return Visit([](auto value) {
      if constexpr (std::is_integral_v<T>) {
        return IsInteger<T>(value);
      } else {
        return std::isinf(static_cast<T>(value)) ==
               std::isinf(static_cast<double>(value));
      }
    });
  });
}

bool Number::IsNan() const {
  return Visit([](auto value) { return value != value; });
}

std::string Number::ToString() const {
  // An int64 has up to 20 characters, a float64 up to 24.
  char text[32];
  return Visit([&](auto value) {
    return std::string(
        text, std::to_chars(std::begin(text), std::end(text), value).ptr);
  });
}

}  // namespace concord
