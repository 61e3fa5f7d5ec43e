// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What passes whose order is fixed share (order.h).

#ifndef CONCORD_ALGORITHMS_SEQUENCE_TBB_ORDERED_H_
#define CONCORD_ALGORITHMS_SEQUENCE_TBB_ORDERED_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/tbb/value_arrays.h"
#include "concord/backends/tbb/interpreter/interpreter.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// A pass's functions for lanes that stand for elements at any indices, so that
// the index, where it is used, is an input, the last one.
struct OrderedPass {
  // InvalidArgument: prologue and operator together are more than one function
  // can have. That cannot be where the prologue is the identity.
  static absl::StatusOr<OrderedPass> Of(const Pass& pass);

  // Of the inputs, and int64 for the index if it is used.
  std::vector<expression::Type> input_types;
  // inputs -> a tuple.
  Interpreter first;
  // A tuple, inputs -> the tuple op that of the inputs.
  Interpreter next;
  // Two tuples -> one op the other.
  Interpreter combine;
  bool uses_index;
};

std::vector<const void*> Pointers(const ValueArrays& arrays);

// even[j] = from[2 * j] and odd[j] = from[2 * j + 1], for `pairs` j.
void TakeApart(const ValueArrays& from, std::int64_t pairs, ValueArrays& even,
               ValueArrays& odd);

// Combines neighbours, and so on; an odd one out moves up.
class Pairs {
 public:
  Pairs(const std::vector<expression::Type>& types, std::int64_t most)
      : even_(types, most / 2 + 1), odd_(types, most / 2 + 1) {}

  // Of the first n; changes them.
  Tuple Total(InterpreterThread& combine, ValueArrays& x, std::int64_t n);

 private:
  ValueArrays even_, odd_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_TBB_ORDERED_H_
