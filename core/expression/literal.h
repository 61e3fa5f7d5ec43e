// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_LITERAL_H_
#define CONCORD_CORE_EXPRESSION_LITERAL_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// A number of a program, which has no type yet: it takes that of what it meets,
// if it is exactly one of it.
//
//   12, 0x55      a whole number: an integer in its range, or a float that is
//                 exactly this number
//   2.5, 1e-3     a float: the nearest one, ties to even, but neither infinite
//                 nor 0 unless it is written as 0
//   inf, nan      floats
class Literal {
 public:
  // Of a number token, "inf" or "nan".
  static Literal FromText(absl::string_view text, bool negative);

  // Of a number in C++: of an integer what it is, of a float what is nearest to
  // it.
  template <typename T>
  static Literal FromNumber(T value) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    if constexpr (std::is_floating_point_v<T>) {
      return Literal(static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      const auto bits = static_cast<std::uint64_t>(wide);
      return Literal(Whole{wide < 0 ? 0 - bits : bits, false}, wide < 0);
    } else {
      return Literal(Whole{static_cast<std::uint64_t>(value), false}, false);
    }
  }

  // "-0x55", as it was written.
  const std::string& text() const { return text_; }
  bool is_whole() const { return std::holds_alternative<Whole>(value_); }

  // Its value in this type. InvalidArgument: "2.5 is not an int32".
  absl::StatusOr<Word> As(Type type) const;

 private:
  struct Whole {
    std::uint64_t magnitude;
    bool too_large;  // 2^64 or more
  };
  // Decimal digits, without a sign; or a number.
  using Value = std::variant<Whole, std::string, double>;

  Literal(Whole whole, bool negative);
  explicit Literal(double value);
  Literal(Value value, bool negative, std::string text)
      : value_(std::move(value)), negative_(negative), text_(std::move(text)) {}

  template <typename T>
  bool Get(T* value) const;

  Value value_;
  bool negative_;
  std::string text_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_LITERAL_H_
