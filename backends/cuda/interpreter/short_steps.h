// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_SHORT_STEPS_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_SHORT_STEPS_H_

#include <vector>

#include "concord/backends/cuda/interpreter/machine_code.h"

namespace concord::machine {

// The same steps, with short ones (machine_code.h) in place of those that they
// can stand for, and one in place of neighbours.
std::vector<Step> Shortened(const std::vector<Step>& steps, bool wide);

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_SHORT_STEPS_H_
