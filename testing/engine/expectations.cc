// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/expectations.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/comparison.h"

namespace concord {
Failure FromStatus(FailureKind kind, absl::string_view doing,
                   const absl::Status& status) {
  return {kind, absl::StrCat(doing, ": ", status.ToString()), status.code()};
}

std::string Contradiction(const std::vector<OutputSpec>& outputs,
                          const Expectations& expected) {
  if (outputs.size() != expected.size()) {
    return absl::StrCat(outputs.size(), " outputs, but ", expected.size(),
                        " expectations");
  }
  for (const OutputSpec& output : outputs) {
    const auto it = expected.find(output.name);
    if (it == expected.end()) {
      return absl::StrCat("nothing expected of output '", output.name, "'");
    }
    const HostArray& value = it->second.value;
    const std::vector<double>& tolerance = it->second.tolerance;
    if (value.type() != output.type || value.size() > Capacity(output)) {
      return absl::StrCat("output '", output.name, "' has ", Capacity(output),
                          " ", Name(output.type), ", but ", value.size(), " ",
                          Name(value.type()), " are expected");
    }
    if (!tolerance.empty() &&
        static_cast<std::int64_t>(tolerance.size()) != value.size()) {
      return absl::StrCat("output '", output.name, "' has ", value.size(),
                          " elements, but ", tolerance.size(), " tolerances");
    }
  }
  return "";
}

std::optional<Failure> CompareOutputs(const AlgorithmSpec& spec,
                                      const Staging& staging,
                                      const Expectations& expected,
                                      bool bits_promised, FailureKind kind,
                                      absl::string_view versus) {
  const std::vector<double> none;
  for (const auto& [name, expectation] : expected) {
    const bool exact = bits_promised && expectation.defines_bits;
    Comparison comparison(expectation.value,
                          exact ? none : expectation.tolerance,
                          spec.nans_have_bits());
    if (absl::Status status = staging.ReadPieces(
            name, [&](const HostArray& piece) { comparison.Add(piece); });
        !status.ok()) {
      return FromStatus(FailureKind::kStatus, "reading back", status);
    }
    if (std::optional<Difference> difference = comparison.result()) {
      return Failure{kind, absl::StrCat("'", name, "'", versus, ": ",
                                        difference->ToString())};
    }
  }
  return std::nullopt;
}

absl::StatusOr<Expectations> Snapshot(const Staging& staging,
                                      const Expectations& expected) {
  ASSIGN_OR_RETURN(Results results, staging.ReadOutputs());
  Expectations snapshot;
  for (const auto& [name, expectation] : expected) {
    const HostArray& value = results.at(name);
    const std::int64_t compared =
        std::min(expectation.value.size(), value.size());
    snapshot[name].value = value.Without(compared, value.size());
  }
  return snapshot;
}

bool KnowsBits(const Expectations& expected) {
  return std::all_of(expected.begin(), expected.end(), [](const auto& item) {
    return item.second.tolerance.empty() || item.second.defines_bits;
  });
}

}  // namespace concord
