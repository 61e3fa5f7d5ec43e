// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The steps of single operations, for words of 64 bits (`wide`) or of 32.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_OPERATION_STEPS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_OPERATION_STEPS_H_

#include <vector>

#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::machine {

// A = op(A) or op(A, what `operand` fetches), of values of a type; reversed,
// the two have changed places.
std::vector<Step> OperationSteps(expression::Op op, expression::Type type,
                                 const Step& operand, bool reversed, bool wide);

std::vector<Step> CastSteps(expression::Type from, expression::Type to,
                            bool wide);

// Of a comparison.
Code TestCode(expression::Op op, expression::Type type, bool wide);

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_OPERATION_STEPS_H_
