// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TRANSFORM_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_TRANSFORM_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::transform {

// concatenation, trichotomy, round_trip.
std::vector<Law> TransformLaws();

}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_SPEC_LAWS_H_
