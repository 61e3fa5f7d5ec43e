// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Checks of numbers on a command line. Those of the parser take NaN for a
// number, and -1 for a large one where negative numbers do not fit, and name
// the largest double in words for what is wrong.

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

template <typename T>
CLI::Validator NotNegative() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const std::optional<T> number = FiniteNumber<T>(text);
        if (number.has_value() && *number >= 0) return "";
        return absl::StrCat("not a number from 0 on that fits: '", text, "'");
      },
      "");
}

template <typename T>
CLI::Validator Positive() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const std::optional<T> number = FiniteNumber<T>(text);
        if (number.has_value() && *number > 0) return "";
        return absl::StrCat("not a number above 0 that fits: '", text, "'");
      },
      "");
}

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_NUMBER_CHECKS_H_
