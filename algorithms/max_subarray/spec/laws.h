// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::max_subarray {

// brute_force, concatenation, mirror, accuracy.
std::vector<Law> MaxSubarrayLaws();

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_SPEC_LAWS_H_
