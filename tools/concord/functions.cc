// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/functions.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace concord {
namespace {

constexpr char kSequence[] = "sequence";

const OptionSpec* FindOption(const SignatureData& signature,
                             absl::string_view name) {
  for (const OptionSpec& option : signature.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// Words, numbers and lists of them, such as "between:-1,5", are values of the
// option's own, right or wrong.
bool IsFunction(const OptionSpec& option, absl::string_view text) {
  const bool is_choice = option.kind == OptionSpec::Kind::kChoice;
  return text.find_first_of(is_choice ? " ()<>=*/%&|^?!~[]{}+-"
                                      : " ()<>=*/%&|^?!~[]{}") !=
         absl::string_view::npos;
}

// In a program, a function with names for its parts stands in braces.
std::string InBraces(absl::string_view function) {
  if (!absl::StrContains(function, ';') || absl::StrContains(function, '{')) {
    return std::string(function);
  }
  const std::size_t arrow = function.find("->");
  const std::size_t body = arrow == absl::string_view::npos ? 0 : arrow + 2;
  return absl::StrCat(function.substr(0, body), " { ", function.substr(body),
                      " }");
}

// Takes "--name=value", or "--name" and what follows, out of the arguments: the
// last one's value.
std::optional<std::string> Take(Arguments& arguments, const std::string& name) {
  std::optional<std::string> value;
  const std::string flag = "--" + name;
  for (std::size_t k = 0; k < arguments.size();) {
    std::size_t used = 0;
    if (absl::StartsWith(arguments[k], flag + "=")) {
      value = arguments[k].substr(flag.size() + 1);
      used = 1;
    } else if (arguments[k] == flag && k + 1 < arguments.size()) {
      value = arguments[k + 1];
      used = 2;
    }
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(k);
    arguments.erase(first, first + static_cast<std::ptrdiff_t>(used));
    if (used == 0) ++k;
  }
  return value;
}

}  // namespace

Arguments WithProgram(const Algorithm& algorithm, Arguments arguments) {
  const SignatureData& signature = algorithm.signature();
  const FunctionOption& function = signature.function;
  const OptionSpec* const option = FindOption(signature, function.option);
  if (option == nullptr || !FindAlgorithm(kSequence).ok()) return arguments;
  Arguments rest = arguments;
  const std::optional<std::string> text = Take(rest, function.option);
  if (!text.has_value() || !IsFunction(*option, *text)) return arguments;

  std::string which;
  if (const OptionSpec* other = FindOption(signature, function.other_option)) {
    which = Take(rest, other->name).value_or(other->default_value);
  }
  const auto program = function.programs.find(which);
  const auto name = std::find(rest.begin(), rest.end(), algorithm.name());
  // A mistake that is told as without a function.
  if (program == function.programs.end() || name == rest.end()) {
    return arguments;
  }
  *name = kSequence;
  rest.push_back(absl::StrCat(
      "--program=",
      absl::StrReplaceAll(program->second, {{"FUNCTION", InBraces(*text)}})));
  return rest;
}

}  // namespace concord
