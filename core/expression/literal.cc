// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/literal.h"

#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/expression/text_error.h"

namespace concord::expression {
namespace {

// The digits of a whole number: false if it has 65 bits or more.
bool ReadWhole(absl::string_view digits, int base, std::uint64_t* whole) {
  *whole = 0;
  for (char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (__builtin_mul_overflow(*whole, static_cast<std::uint64_t>(base),
                               whole) ||
        __builtin_add_overflow(*whole, static_cast<std::uint64_t>(digit),
                               whole)) {
      return false;
    }
  }
  return true;
}

template <typename T>
bool WholeAs(std::uint64_t magnitude, bool negative, T* value) {
  // Exact: 65 bits and a sign. A float of 2^64 is none of the numbers.
  const __int128 exact =
      negative ? -static_cast<__int128>(magnitude) : __int128{magnitude};
  if constexpr (std::is_floating_point_v<T>) {
    *value = static_cast<T>(magnitude);
    if (static_cast<unsigned __int128>(*value) != magnitude) return false;
    if (negative) *value = -*value;
    return true;
  } else {
    *value = static_cast<T>(exact);
    return exact >= std::numeric_limits<T>::min() &&
           exact <= std::numeric_limits<T>::max();
  }
}

// Rounded once, to T itself. What would be infinite, or 0 without being written
// so, is out of range.
template <typename T>
bool DecimalAs(const std::string& digits, T* value) {
  *value = 0;
  const absl::from_chars_result read =
      absl::from_chars(digits.data(), digits.data() + digits.size(), *value);
  return read.ec == std::errc();
}

}  // namespace

Literal Literal::FromText(absl::string_view text, bool negative) {
  std::string written = absl::StrCat(negative ? "-" : "", text);
  if (text == "inf" || text == "nan") {
    using Limits = std::numeric_limits<double>;
    return Literal(text == "inf" ? Limits::infinity() : Limits::quiet_NaN(),
                   negative, std::move(written));
  }
  const bool hex = absl::StartsWithIgnoreCase(text, "0x");
  if (!hex && text.find_first_of(".eE") != absl::string_view::npos) {
    return Literal(std::string(text), negative, std::move(written));
  }
  Whole whole;
  whole.too_large =
      !ReadWhole(hex ? text.substr(2) : text, hex ? 16 : 10, &whole.magnitude);
  return Literal(whole, negative, std::move(written));
}

Literal::Literal(Whole whole, bool negative)
    : Literal(whole, negative,
              absl::StrCat(negative ? "-" : "", whole.magnitude)) {}

Literal::Literal(double value)
    : Literal(std::abs(value), std::signbit(value),
              ToString(Type::kFloat64, ToWord(value))) {}

template <typename T>
bool Literal::Get(T* value) const {
  if (const auto* whole = std::get_if<Whole>(&value_)) {
    return !whole->too_large && WholeAs(whole->magnitude, negative_, value);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* digits = std::get_if<std::string>(&value_)) {
      if (!DecimalAs(*digits, value)) return false;
    } else {
      const double number = std::get<double>(value_);
      *value = static_cast<T>(number);
      const bool lost = (*value == 0 && number != 0) ||
                        (std::isinf(*value) && !std::isinf(number));
      if (lost) return false;
    }
    if (negative_) *value = -*value;
    return true;
  } else {
    return false;
  }
}

absl::StatusOr<Word> Literal::As(Type type) const {
  Word word = 0;
  const bool is_one =
      type != Type::kBool && Dispatch(StoredAs(type), [&](auto tag) {
        typename decltype(tag)::type value;
        const bool fits = Get(&value);
        if (fits) word = Canonical(type, ToWord(value));
        return fits;
      });
  if (is_one) return word;
  const std::string shown = Quoted(text_);
  return absl::InvalidArgumentError(absl::StrCat(
      shown.substr(1, shown.size() - 2), " is not ", WithArticle(type)));
}

}  // namespace concord::expression
