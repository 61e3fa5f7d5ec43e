// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WINDOWS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WINDOWS_H_

#include <cstdint>

#include "concord/algorithms/tensor_sketch/tbb/words.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/tbb/tbb_backend.h"

namespace concord::tensor_sketch {

// Sketches of windows by word counts. From a window to the next that overlaps
// with it, the letters that come in are counted and appended, those that leave
// are counted and removed: 2 stride letters instead of a window. The exact
// inverse of Chen's identity makes that possible:
//
//   n_k(w; y) = n_k(w; x y) - sum over w = u v, u not empty, of n(u; x) n(v; y)
//
// Normalized sketches come from the same integers where those cannot wrap;
// longer windows are counted anew, in doubles.
//
// Threads take turns in runs of windows. Arguments as in TensorSketch, already
// checked.
void SketchWindows(TbbBackend& backend, const std::uint8_t* letters,
                   const SketchRows& rows, const WordCounter& counter,
                   const WordHasher& hasher,
                   const TensorSketch::Options& options, ArrayView out);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WINDOWS_H_
