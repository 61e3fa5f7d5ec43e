// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_TEXT_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/program.h"

namespace concord::sequence {

// The program as text that is parsed as the same stages, on the same columns.
// Operators are `unchecked`: whoever made the program has tried their laws.
//
// Example: "s1 = scan a, b -> a + b unchecked; zip x s1 |> map ..."
std::string ToText(const Program& program);

// The same for stages that are as those of a program, the last one the result.
std::string ToText(const std::vector<expression::Parameter>& columns,
                   const std::vector<Stage>& stages);

// One stage as text, without what it reads: "map x -> 2 * x".
std::string StepText(const Stage& stage);

// An operator and where it starts: "a, b -> a + b from 0 unchecked".
std::string OperatorText(
    const expression::Operator& op,
    const std::optional<std::vector<expression::Word>>& start);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_TEXT_H_
