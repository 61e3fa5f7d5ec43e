// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/explanation.h"

#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

std::map<std::string, Explainer>& Explainers() {
  static auto* const explainers = new std::map<std::string, Explainer>();
  return *explainers;
}

}  // namespace

bool RegisterExplainer(const std::string& algorithm, Explainer explainer) {
  return Explainers().emplace(algorithm, std::move(explainer)).second;
}

std::vector<std::string> ExplainedAlgorithms() {
  std::vector<std::string> names;
  for (const auto& [name, explainer] : Explainers()) names.push_back(name);
  return names;
}

absl::StatusOr<ExplainedCall> ExplainCall(const std::string& algorithm,
                                          const OptionMap& options,
                                          const Inputs& inputs) {
  return Guarded([&]() -> absl::StatusOr<ExplainedCall> {
    const auto found = Explainers().find(algorithm);
    if (found == Explainers().end()) {
      return NotFoundError("the steps of ", algorithm,
                           " are always the same; explain is for ",
                           absl::StrJoin(ExplainedAlgorithms(), ", "));
    }
    return found->second(options, inputs);
  });
}

}  // namespace concord
