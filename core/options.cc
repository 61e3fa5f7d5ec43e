// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "core/options.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace concord {
namespace {

absl::Status CheckValue(const OptionSpec& spec, const std::string& value) {
  switch (spec.kind) {
    case OptionSpec::Kind::kChoice:
      if (std::find(spec.choices.begin(), spec.choices.end(), value) !=
          spec.choices.end()) {
        return absl::OkStatus();
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "--", spec.name, " takes one of ", absl::StrJoin(spec.choices, ", "),
          ", not '", value, "'"));
    case OptionSpec::Kind::kNumber: {
      std::int64_t number;
      if (absl::SimpleAtoi(value, &number) && spec.least <= number &&
          number <= spec.most) {
        return absl::OkStatus();
      }
      return absl::InvalidArgumentError(
          absl::StrCat("--", spec.name, " takes a whole number from ",
                       spec.least, " to ", spec.most, ", not '", value, "'"));
    }
    case OptionSpec::Kind::kText:
    case OptionSpec::Kind::kFile:
      return absl::OkStatus();
  }
  return absl::InternalError("an option of no known kind");
}

}  // namespace

absl::StatusOr<OptionMap> CompleteOptions(const std::vector<OptionSpec>& specs,
                                          const OptionMap& given) {
  OptionMap complete;
  for (const OptionSpec& spec : specs) {
    if (spec.kind == OptionSpec::Kind::kFile) continue;
    const auto it = given.find(spec.name);
    const std::string& value =
        it == given.end() ? spec.default_value : it->second;
    // A default need not be a legal value: it may say "not given".
    if (it != given.end()) {
      if (absl::Status status = CheckValue(spec, value); !status.ok()) {
        return status;
      }
    }
    complete[spec.name] = value;
  }
  for (const auto& [name, value] : given) {
    const bool known =
        std::any_of(specs.begin(), specs.end(),
                    [&](const OptionSpec& spec) { return spec.name == name; });
    if (known) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown option --", name, "; the options here are ",
        absl::StrJoin(specs, ", ", [](std::string* out, const OptionSpec& s) {
          absl::StrAppend(out, "--", s.name);
        })));
  }
  return complete;
}

std::string ToString(const OptionMap& options) {
  return absl::StrJoin(options, " ", [](std::string* out, const auto& option) {
    absl::StrAppend(out, "--", option.first, "=", option.second);
  });
}

std::int64_t NumberOption(const OptionMap& options, const std::string& name) {
  std::int64_t number = 0;
  const auto it = options.find(name);
  if (it == options.end() || !absl::SimpleAtoi(it->second, &number)) return 0;
  return number;
}

}  // namespace concord
