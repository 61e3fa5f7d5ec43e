// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spec/case_program.h"

#include "concord/algorithms/sequence/program_cache.h"

namespace concord::sequence {

std::vector<ConstArrayView> InputsOf(
    const std::map<std::string, HostArray>& columns) {
  std::vector<ConstArrayView> inputs;
  for (const char* name : kColumnNames) {
    const auto column = columns.find(name);
    inputs.push_back(column == columns.end() ? ConstArrayView()
                                             : column->second.view());
  }
  return inputs;
}

absl::StatusOr<std::shared_ptr<const Program>> ProgramOfCase(
    const Case& test_case) {
  return ProgramOf(test_case.options.at("program"), InputsOf(test_case.inputs));
}

}  // namespace concord::sequence
