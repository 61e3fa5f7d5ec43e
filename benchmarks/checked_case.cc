// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/checked_case.h"

#include <optional>
#include <utility>
#include <vector>

#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/comparison.h"

namespace concord {
namespace {

absl::StatusOr<Expectations> ComputedBy(const std::shared_ptr<Backend>& backend,
                                        const AlgorithmSpec& spec,
                                        const Case& test_case) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Runner> runner,
                   spec.NewRunner(backend, /*variant=*/""));
  RETURN_IF_ERROR(runner->Configure(test_case.options));
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   spec.OutputsOf(test_case));
  Expectations computed;
  Outputs views;
  for (const OutputSpec& output : outputs) {
    Expectation& expectation = computed[output.name];
    expectation.value = HostArray(output.type, output.shape);
    views.emplace(output.name, expectation.value.view());
  }
  RETURN_IF_ERROR(
      RunFromHost(*runner, *backend, outputs, InputsOf(test_case), views));
  // What stands behind the results is unspecified.
  for (const OutputSpec& output : outputs) {
    computed[output.name].value.Cut(
        ResultShape(output, ResultSize(output, views)));
  }
  RETURN_IF_ERROR(spec.AddTolerances(test_case, computed));
  return computed;
}

}  // namespace

absl::StatusOr<CheckedCase> MakeCheckedCase(
    const AlgorithmSpec& spec, Case test_case,
    const std::shared_ptr<Backend>& checker) {
  ASSIGN_OR_RETURN(Expectations computed,
                   checker == nullptr ? spec.Expected(test_case)
                                      : ComputedBy(checker, spec, test_case));
  const auto expected =
      std::make_shared<const Expectations>(std::move(computed));
  CheckedCase checked;
  checked.test_case = std::make_shared<const Case>(std::move(test_case));
  checked.check = [expected, nans_have_bits = spec.nans_have_bits()](
                      const Results& results) -> absl::Status {
    for (const auto& [name, expectation] : *expected) {
      const std::optional<Difference> difference =
          Compare(results.at(name), expectation.value, expectation.tolerance,
                  nans_have_bits);
      if (difference) {
        return DataLossError(name, ": ", difference->ToString());
      }
    }
    return absl::OkStatus();
  };
  return checked;
}

}  // namespace concord
