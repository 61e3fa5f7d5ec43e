// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_REDUCE_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::reduce {

// concatenation, permutation, accuracy.
std::vector<Law> ReduceLaws();

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_SPEC_LAWS_H_
