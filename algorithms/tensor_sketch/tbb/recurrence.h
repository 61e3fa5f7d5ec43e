// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_RECURRENCE_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_RECURRENCE_H_

#include <cstdint>

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/tbb/tbb_backend.h"

namespace concord::tensor_sketch {

// The recurrence on arrays that hold every sketch twice, one after the other: a
// roll is then one contiguous read, and the loop a plain vector addition. The
// sequences are shared out among the threads, the longest first; one sequence
// cannot be cut.
//
// Arguments as in TensorSketch, already checked; a row is a sequence or a
// window.
void SketchByRecurrence(TbbBackend& backend, const std::uint8_t* letters,
                        const SketchRows& rows, const std::int32_t* hashes,
                        const std::int32_t* signs,
                        const TensorSketch::Options& options, ArrayView out);

// What a letter costs, in additions: dim for each sum but the first, and a
// dozen for each to look up its roll and to start its loop.
inline double RecurrenceAdditions(const TensorSketch::Options& options) {
  return static_cast<double>(options.t - 1) * options.dim + 12.0 * options.t;
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_RECURRENCE_H_
