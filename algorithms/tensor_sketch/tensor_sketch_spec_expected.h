// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_SPEC_EXPECTED_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_SPEC_EXPECTED_H_

#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "core/spec.h"

namespace concord {

// The right sketches of a valid case, by another way than the reference.
Expectation ExpectedSketches(const Case& test_case,
                             const TensorSketch::Options& options);

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_SPEC_EXPECTED_H_
