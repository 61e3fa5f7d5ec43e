// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPEC_RANDOM_CASE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPEC_RANDOM_CASE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"

namespace concord::sequence {

// A program and its columns, about half of whose values are at an edge of their
// type.
struct DrawnProgram {
  std::string text;
  std::map<std::string, HostArray> columns;
};

//   random_map        a function of up to four columns, up to four results
//   random_filter     the same and then a filter
//   random_scan       the same and then a scan, or a reduction, by built-in
//                     operators
//   random_operator   an operator of the user's on tuples (random_operator.h)
//   random_pipeline   several stages of all kinds
const std::vector<std::string>& RandomProgramNames();

// The same for the same arguments, on every machine. A run of it does not fail.
// Columns are of `type` and of other types.
DrawnProgram DrawCase(absl::string_view name, ElementType type,
                      std::int64_t size, std::uint64_t seed);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPEC_RANDOM_CASE_H_
