// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::tensor_sketch {

// What is true of every right tensor sketch.
std::vector<Law> SketchLaws();

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_LAWS_H_
