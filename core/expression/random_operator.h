// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_RANDOM_OPERATOR_H_
#define CONCORD_CORE_EXPRESSION_RANDOM_OPERATOR_H_

#include <cstdint>

#include "concord/core/expression/operator.h"

namespace concord::expression {

// An operator on tuples of at most `most_values` values that is associative for
// all values, as it is made of what is:
//
//   one value    + * (integers), min, max, & | ^, the first, the last
//   two          the composition of x -> x * p + q, over integers modulo 2^k,
//                over bits (& and ^) and over an order (min and max); a count
//                and bits that it rotates; a sum that begins anew at flags
//   four         the product of 2 x 2 matrices
//   of uint8     the composition of maps of {0, 1, 2, 3} to itself
//
// Each may be seen through a bijection of integers, and values may stand in any
// order. Most are not commutative. An identity is there where there is one.
Operator RandomOperator(std::uint64_t seed, int most_values);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_RANDOM_OPERATOR_H_
