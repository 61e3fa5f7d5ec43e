// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_

#include <vector>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/expression/function.h"

namespace concord::machine {

// Where the values of a function are.
struct Places {
  enum class Of {
    kColumns,      // parameters: inputs; results: outputs
    kSlots,        // slots from a number on
    kKept,         // results: outputs, at the places of what a filter keeps
    kAccumulator,  // results: there is one, and it stays there
  };

  Of parameters = Of::kColumns;
  // The first slot, where parameters are in slots.
  int parameter_slot = 0;
  Of results = Of::kColumns;
  // The first slot, where results go there.
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
};

// Whether a function needs words of 64 bits; and values of a type.
bool NeedsWideWords(const expression::Function& function);
bool IsWide(expression::Type type);

// For words of 64 bits, or of 32. Only results in outputs are canonical.
Encoded Encode(const expression::Function& function, const Places& places,
               bool wide);

// The step by which a built-in operator, which commutes, combines values of the
// type. Those of integers of fewer bits than a word have the right low bits.
Code CombiningCode(expression::Op op, expression::Type type, bool wide);

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_ENCODE_H_
