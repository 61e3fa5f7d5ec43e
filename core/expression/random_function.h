// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Random functions and values, to compare with the oracle whatever runs
// functions. The same seed gives the same ones on every machine.

#ifndef CONCORD_CORE_EXPRESSION_RANDOM_FUNCTION_H_
#define CONCORD_CORE_EXPRESSION_RANDOM_FUNCTION_H_

#include <cstdint>
#include <vector>

#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/random.h"

namespace concord::expression {

// Half of them are at an edge: 0, 1, -1, extremes, the width of the type; of
// floats also -0.0, NaNs (with other bits than the quiet NaN, too), infinities,
// halves, subnormals, and powers of two at the edges of integers. The others
// are small numbers or random bits.
Word RandomValue(Random& random, Type type);

struct RandomFunctionShape {
  int parameters = 3;
  int tables = 1;
  int operations = 12;
  int results = 2;
  // Of parameters, of constants and in casts; all types if it is empty.
  std::vector<Type> types = {};
};

// What a random function is made of, as it was drawn: not in canonical form,
// with operations on constants, equal nodes, and nodes that no result needs.
struct RandomFunctionParts {
  Scope scope;
  Nodes nodes;
};

// Every operation and type occurs. Operands are recent values more often than
// old ones, so that functions are deep as well as wide.
RandomFunctionParts DrawFunction(std::uint64_t seed,
                                 const RandomFunctionShape& shape);

// The function of these parts.
Function RandomFunction(std::uint64_t seed, const RandomFunctionShape& shape);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_RANDOM_FUNCTION_H_
