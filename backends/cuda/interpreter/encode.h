// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_

#include <vector>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/expression/function.h"

namespace concord::interpreter {

// Where the values of a function are.
struct Places {
  enum class Of {
    kColumns,  // parameters: inputs; results: outputs
    kSlots,    // slots from a number on
    kPlaces,   // results: outputs, at the places that a slot has
  };

  Of parameters = Of::kColumns;
  // The first slot, where parameters are in slots.
  int parameter_slot = 0;
  Of results = Of::kColumns;
  // The first slot, or the one with the places.
  int result_slot = 0;
  // The first output.
  int first_output = 0;
  // The first slot that the function may use on the way.
  int free_slot = 0;
};

struct Encoded {
  // Without an end, so that more can follow.
  std::vector<Step> steps;
  // One more than the last that it uses.
  int slots = 0;
  // Whether it needs words of 64 bits.
  bool wide = false;
};

Encoded Encode(const expression::Function& function, const Places& places);

// A = op(A, slot), of a built-in operator, which commutes, on values of the
// type.
Step CombineWithSlot(expression::Op op, expression::Type type, int slot);

// Whether values of the type need words of 64 bits.
bool IsWide(expression::Type type);

}  // namespace concord::interpreter

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_
