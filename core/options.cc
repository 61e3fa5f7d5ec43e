// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/options.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

bool IsYesOrNo(const OptionSpec& spec) {
  return spec.kind == OptionSpec::Kind::kSwitch ||
         spec.kind == OptionSpec::Kind::kOutput;
}

std::string DefaultOf(const OptionSpec& spec) {
  return IsYesOrNo(spec) ? "no" : spec.default_value;
}

absl::Status CheckValue(const OptionSpec& spec, const std::string& value) {
  switch (spec.kind) {
    case OptionSpec::Kind::kChoice:
    case OptionSpec::Kind::kSwitch:
    case OptionSpec::Kind::kOutput: {
      const std::vector<std::string> choices = ChoicesOf(spec);
      if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
        return absl::OkStatus();
      }
      return InvalidArgumentError("--", spec.name, " takes one of ",
                                  absl::StrJoin(choices, ", "), ", not '",
                                  value, "'");
    }
    case OptionSpec::Kind::kNumber: {
      std::int64_t number;
      if (absl::SimpleAtoi(value, &number) && spec.least <= number &&
          number <= spec.most && number % spec.step == 0) {
        return absl::OkStatus();
      }
      return InvalidArgumentError("--", spec.name, " takes a whole number ",
                                  RangeOf(spec), ", not '", value, "'");
    }
    case OptionSpec::Kind::kText:
    case OptionSpec::Kind::kFile:
      return absl::OkStatus();
  }
  return InternalError("an option of no known kind");
}

}  // namespace

OptionSpec OptionSpec::Choice(std::string name, std::string help,
                              std::string default_value,
                              std::vector<std::string> choices) {
  return {std::move(name), Kind::kChoice, std::move(help),
          std::move(default_value), std::move(choices)};
}

OptionSpec OptionSpec::Number(std::string name, std::string help,
                              std::int64_t default_value, std::int64_t least,
                              std::int64_t most, std::int64_t step) {
  return {std::move(name),
          Kind::kNumber,
          std::move(help),
          absl::StrCat(default_value),
          {},
          least,
          most,
          step};
}

OptionSpec OptionSpec::Text(std::string name, std::string help,
                            std::string default_value) {
  return {std::move(name), Kind::kText, std::move(help),
          std::move(default_value)};
}

OptionSpec OptionSpec::File(std::string name, std::string help) {
  return {std::move(name), Kind::kFile, std::move(help)};
}

OptionSpec OptionSpec::Switch(std::string name, std::string help) {
  return {std::move(name), Kind::kSwitch, std::move(help)};
}

OptionSpec OptionSpec::Output(std::string name, std::string help) {
  return {std::move(name), Kind::kOutput, std::move(help)};
}

std::string RangeOf(const OptionSpec& spec) {
  return absl::StrCat(
      "from ", spec.least, " to ", spec.most,
      spec.step == 1 ? "" : absl::StrCat(", a multiple of ", spec.step));
}

absl::StatusOr<OptionMap> CompleteOptions(const std::vector<OptionSpec>& specs,
                                          const OptionMap& given) {
  return Guarded([&]() -> absl::StatusOr<OptionMap> {
    OptionMap complete;
    for (const OptionSpec& spec : specs) {
      if (spec.kind == OptionSpec::Kind::kFile) continue;
      const auto it = given.find(spec.name);
      const std::string value =
          it == given.end() ? DefaultOf(spec) : it->second;
      // A default need not be a legal value: it may say "not given".
      if (it != given.end()) RETURN_IF_ERROR(CheckValue(spec, value));
      complete[spec.name] = value;
    }
    for (const auto& [name, value] : given) {
      // C++17 captures no structured binding, and Clang insists.
      const bool known = std::any_of(
          specs.begin(), specs.end(),
          [&name = name](const OptionSpec& spec) { return spec.name == name; });
      if (known) continue;
      return InvalidArgumentError(
          "unknown option --", name, "; the options here are ",
          absl::StrJoin(specs, ", ", [](std::string* out, const OptionSpec& s) {
            absl::StrAppend(out, "--", s.name);
          }));
    }
    return complete;
  });
}

std::vector<std::string> ChoicesOf(const OptionSpec& spec) {
  if (IsYesOrNo(spec)) return {"no", "yes"};
  return spec.choices;
}

std::string ToString(const OptionMap& options) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : options) {
    if (value == "no") continue;
    flags.push_back(absl::StrCat("--", name, value == "yes" ? "" : "=",
                                 value == "yes" ? "" : value));
  }
  return absl::StrJoin(flags, " ");
}

std::int64_t NumberOption(const OptionMap& options, const std::string& name) {
  std::int64_t number = 0;
  const auto it = options.find(name);
  if (it == options.end() || !absl::SimpleAtoi(it->second, &number)) return 0;
  return number;
}

bool SwitchOption(const OptionMap& options, const std::string& name) {
  const auto it = options.find(name);
  return it != options.end() && it->second == "yes";
}

std::string OutputOfOption(const OptionSpec& spec) {
  return std::string(absl::StripPrefix(spec.name, "output-"));
}

}  // namespace concord
