// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_CASE_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_CASE_PROGRAM_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/spec.h"

namespace concord::sequence {

// The columns in this order; those that are not there are not given.
std::vector<ConstArrayView> InputsOf(
    const std::map<std::string, HostArray>& columns);

// The program of a case on its columns.
absl::StatusOr<std::shared_ptr<const Program>> ProgramOfCase(
    const Case& test_case);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_CASE_PROGRAM_H_
