// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/checked_case.h"

#include <optional>
#include <utility>

#include "concord/core/errors.h"
#include "concord/testing/engine/comparison.h"

namespace concord {

absl::StatusOr<CheckedCase> MakeCheckedCase(const AlgorithmSpec& spec,
                                            Case test_case) {
  ASSIGN_OR_RETURN(Expectations computed, spec.Expected(test_case));
  const auto expected =
      std::make_shared<const Expectations>(std::move(computed));
  CheckedCase checked;
  checked.test_case = std::make_shared<const Case>(std::move(test_case));
  checked.check = [expected](const Results& results) -> absl::Status {
    for (const auto& [name, expectation] : *expected) {
      const std::optional<Difference> difference =
          Compare(results.at(name), expectation.value, expectation.tolerance);
      if (difference) {
        return DataLossError(name, ": ", difference->ToString());
      }
    }
    return absl::OkStatus();
  };
  return checked;
}

}  // namespace concord
