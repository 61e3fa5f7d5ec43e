// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// brute_force, concatenation, mirror, accuracy.
std::vector<Law> MaxSubarrayLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SPEC_LAWS_H_
