// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_REDUCE_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_REDUCE_REDUCE_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// concatenation, permutation, accuracy.
std::vector<Law> ReduceLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_REDUCE_REDUCE_SPEC_LAWS_H_
