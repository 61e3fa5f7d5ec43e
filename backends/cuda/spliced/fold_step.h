// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_FOLD_STEP_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_FOLD_STEP_H_

#include <optional>

#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/core/expression/function.h"

namespace concord::spliced {

// What the operator makes of a state and the prologue of columns, as one
// function of all these: then operations are done once that operator and
// prologue make the same. Nothing where it is too large for a function.
std::optional<expression::Function> StepOf(const PassFunctions& pass);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_FOLD_STEP_H_
