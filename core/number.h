// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_NUMBER_H_
#define CONCORD_CORE_NUMBER_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"

namespace concord {

// A number for elements of a type that is not known yet: exact for whole
// numbers of 64 bits, a float64 otherwise.
class Number {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Number(T value) {  // NOLINT: a literal is a number
    if constexpr (std::is_floating_point_v<T>) {
      value_ = double{value};
    } else if constexpr (std::is_signed_v<T>) {
      value_ = std::int64_t{value};
    } else {
      value_ = std::uint64_t{value};
    }
  }

  // InvalidArgument for text that is neither a whole number of 64 bits nor a
  // float64 ("0.5", "-1e9", "inf", "nan"), or is larger than any float64.
  static absl::StatusOr<Number> Parse(absl::string_view text);

  // Whether elements of this type can be this number: integers only if it is
  // exactly one of them; floats, which round it to the nearest, unless only
  // that makes it infinite.
  bool Fits(ElementType type) const;
  // For a type that it fits.
  template <typename T>
  T As() const {
    return Visit([](auto value) { return static_cast<T>(value); });
  }
  bool IsNan() const;

  // What f returns for the number as an int64, a uint64 or a float64.
  template <typename F>
  auto Visit(const F& f) const {
    return std::visit(f, value_);
  }

  // Every digit of a whole number, and as many of a float64 as tell it from
  // all others.
  std::string ToString() const;

 private:
  std::variant<std::int64_t, std::uint64_t, double> value_;
};

}  // namespace concord

#endif  // CONCORD_CORE_NUMBER_H_
