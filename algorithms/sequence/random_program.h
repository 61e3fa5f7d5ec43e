// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Random programs, to compare with RunProgram whatever runs programs.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/expression/function.h"

namespace concord::sequence {

// The columns of random programs: x, y, z and w, an int32, an int8, a float32
// and an int64.
std::vector<expression::Parameter> RandomProgramColumns();

// The text of a program on these columns, the same for the same seed. All kinds
// of stages occur, with functions and operators of up to three values of any
// type that were drawn at random. Operators need not be associative. Some
// programs are errors of their values: of zip, of nothing, or of reads outside.
std::string RandomProgram(std::uint64_t seed);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_
