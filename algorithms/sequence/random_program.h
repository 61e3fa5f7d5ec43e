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

struct RandomProgramShape {
  enum class Kind {
    kMap,       // a function
    kFilter,    // the same and then a filter
    kScan,      // the same and then a scan or a reduction by built-in operators
    kOperator,  // an operator of the user's on tuples (random_operator.h)
    kPipeline,  // several stages of all kinds
  };

  Kind kind = Kind::kPipeline;
  // Of its columns. Where there are none, it has up to four: of `type`, and of
  // others.
  std::vector<expression::Parameter> columns = {};
  expression::Type type = expression::Type::kInt32;
  // How many elements columns have at least.
  std::int64_t size = 0;
  // Whether values may be errors: zip of different sizes, reduce of nothing,
  // reads outside.
  bool may_fail = false;
};

struct RandomProgramText {
  std::string text;
  std::vector<expression::Parameter> columns;
};

// A program of at most four results, the same for the same arguments, with
// functions and operators of any type that were drawn at random.
RandomProgramText DrawProgram(std::uint64_t seed, RandomProgramShape shape);

// The columns of the programs below: x, y, z and w, an int32, an int8, a
// float32 and an int64.
std::vector<expression::Parameter> RandomProgramColumns();

// The text of a pipeline on these columns. Operators need not be associative,
// and some programs are errors of their values.
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
