// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_EXPECTED_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_EXPECTED_H_

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/spec.h"

namespace concord::tensor_sketch {

// The right sketches of a valid case, by another way than the reference.
Expectation ExpectedSketches(const Case& test_case,
                             const TensorSketch::Options& options);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_EXPECTED_H_
