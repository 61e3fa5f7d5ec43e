// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/checked_case.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/testing/engine/comparison.h"

namespace concord {

absl::StatusOr<CheckedCase> MakeCheckedCase(const AlgorithmSpec& spec,
                                            Case test_case) {
  absl::StatusOr<std::map<std::string, Expectation>> computed =
      spec.Expected(test_case);
  if (!computed.ok()) return computed.status();
  const auto expected =
      std::make_shared<const std::map<std::string, Expectation>>(
          *std::move(computed));
  CheckedCase checked;
  checked.test_case = std::make_shared<const Case>(std::move(test_case));
  checked.check = [expected](const Results& results) -> absl::Status {
    for (const auto& [name, expectation] : *expected) {
      const std::optional<Difference> difference =
          Compare(results.at(name), expectation.value, expectation.tolerance);
      if (difference) {
        return absl::DataLossError(
            absl::StrCat(name, ": ", difference->ToString()));
      }
    }
    return absl::OkStatus();
  };
  return checked;
}

}  // namespace concord
