// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/algorithm.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

std::vector<const Algorithm*>& Algorithms() {
  static auto* const algorithms = new std::vector<const Algorithm*>();
  return *algorithms;
}

}  // namespace

absl::StatusOr<OptionMap> CompleteOptions(const Algorithm& algorithm,
                                          const OptionMap& given) {
  return Guarded([&]() -> absl::StatusOr<OptionMap> {
    return CompleteOptions(algorithm.options(), given);
  });
}

OptionMap WithoutTuning(
    OptionMap options, const std::vector<ImplementationInfo>& implementations) {
  for (const ImplementationInfo& info : implementations) {
    for (const OptionSpec& tuning : info.tuning) options.erase(tuning.name);
  }
  return options;
}

std::vector<ImplementationInfo> WithTypesOf(
    const SignatureData& signature,
    std::vector<ImplementationInfo> implementations) {
  for (ImplementationInfo& info : implementations) {
    std::vector<ElementType>& types = info.contract.element_types;
    if (types == AllElementTypes()) types = ElementTypesOf(signature);
  }
  return implementations;
}

bool RegisterAlgorithm(const Algorithm* algorithm) {
  auto& algorithms = Algorithms();
  algorithms.push_back(algorithm);
  std::sort(algorithms.begin(), algorithms.end(),
            [](const Algorithm* a, const Algorithm* b) {
              return a->name() < b->name();
            });
  return true;
}

std::vector<const Algorithm*> AllAlgorithms() { return Algorithms(); }

absl::StatusOr<const Algorithm*> FindAlgorithm(absl::string_view name) {
  return Guarded([&]() -> absl::StatusOr<const Algorithm*> {
    for (const Algorithm* algorithm : Algorithms()) {
      if (algorithm->name() == name) return algorithm;
    }
    return NotFoundError(
        "unknown algorithm '", name, "'; the algorithms are ",
        absl::StrJoin(Algorithms(), ", ",
                      [](std::string* out, const Algorithm* known) {
                        out->append(known->name());
                      }));
  });
}

}  // namespace concord
