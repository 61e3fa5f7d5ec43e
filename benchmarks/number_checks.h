// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Numbers on a command line, for CLI::Option::transform. The parser's own
// checks take NaN for a number and name the largest double in words for what is
// wrong. The parser itself reads 010 as octal, and makes another number of -1
// and of what does not fit. These refuse that, and hand it 10.

#ifndef CONCORD_BENCHMARKS_NUMBER_CHECKS_H_
#define CONCORD_BENCHMARKS_NUMBER_CHECKS_H_

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace concord {

template <typename T>
std::optional<T> FiniteNumber(const std::string& text) {
  T number;
  if constexpr (std::is_floating_point_v<T>) {
    if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) return {};
  } else {
    if (!absl::SimpleAtoi(text, &number)) return {};
  }
  return number;
}

// Numbers that `takes` takes. `words` say which those are.
template <typename T, typename Takes>
CLI::Validator NumberThat(Takes takes, const std::string& words) {
  return CLI::Validator(
      [takes, words](std::string& text) -> std::string {
        const std::optional<T> number = FiniteNumber<T>(text);
        if (!number.has_value() || !takes(*number)) {
          return absl::StrCat("not a number ", words, ": '", text, "'");
        }
        if constexpr (std::is_integral_v<T>) text = absl::StrCat(*number);
        return "";
      },
      "");
}

template <typename T>
CLI::Validator NotNegative() {
  return NumberThat<T>([](T number) { return number >= 0; },
                       "from 0 on that fits");
}

template <typename T>
CLI::Validator Positive() {
  return NumberThat<T>([](T number) { return number > 0; },
                       "above 0 that fits");
}

template <typename T>
CLI::Validator Between(T least, T most) {
  return NumberThat<T>(
      [=](T number) { return least <= number && number <= most; },
      absl::StrCat("from ", least, " to ", most));
}

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_NUMBER_CHECKS_H_
