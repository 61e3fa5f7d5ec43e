// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/implementation.h"

#include "absl/strings/str_cat.h"

namespace concord {

std::string ImplementationInfo::RefusalOn(Backend& opened) const {
  if (!requirement.is_met || requirement.is_met(opened)) return "";
  return absl::StrCat("it needs ", requirement.what);
}

std::string ImplementationInfo::RefusalOn(
    absl::string_view backend_spec) const {
  if (!requirement.is_met) return "";
  absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(backend_spec);
  if (!opened.ok()) return std::string(opened.status().message());
  return RefusalOn(**opened);
}

absl::Status Implementation::Tune(const OptionMap& options) {
  OptionMap mine;
  for (const OptionSpec& spec : tuning_specs_) {
    const auto given = options.find(spec.name);
    if (given != options.end()) mine.insert(*given);
  }
  absl::StatusOr<OptionMap> complete = CompleteOptions(tuning_specs_, mine);
  if (!complete.ok()) return complete.status();
  tuning_ = *std::move(complete);
  return absl::OkStatus();
}

std::int64_t Implementation::tuning(absl::string_view option) const {
  const std::string name(option);
  if (tuning_.count(name) > 0) return NumberOption(tuning_, name);
  for (const OptionSpec& spec : tuning_specs_) {
    if (spec.name == name) {
      return NumberOption({{name, spec.default_value}}, name);
    }
  }
  return 0;
}

}  // namespace concord
