// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Random programs, to compare with RunProgram whatever runs programs.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/array.h"
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

// Values of these columns, small whole numbers, but that those of z have
// fractions, so that sums of them round.
struct RandomColumns {
  RandomColumns(std::uint64_t seed, std::int64_t size);

  std::vector<ConstArrayView> views() const;

  std::vector<std::int32_t> x;
  std::vector<std::int8_t> y;
  std::vector<float> z;
  std::vector<std::int64_t> w;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RANDOM_PROGRAM_H_
