// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// concatenation, trichotomy, round_trip.
std::vector<Law> TransformLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_SPEC_LAWS_H_
