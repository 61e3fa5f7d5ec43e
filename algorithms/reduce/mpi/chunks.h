// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_MPI_CHUNKS_H_
#define CONCORD_ALGORITHMS_REDUCE_MPI_CHUNKS_H_

#include "absl/status/status.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/array.h"

namespace concord::reduce {

// What each chunk of reduce.h amounts to, of chunks that follow each other. For
// what computes on many of them at once: elsewhere a chunk is an array to be
// reduced.
class Chunks {
 public:
  static constexpr char kName[] = "reduce_chunks";

  virtual ~Chunks() = default;

  // The last chunk may be shorter. `results` has an element for each.
  virtual absl::Status Run(ConstArrayView in, ArrayView results,
                           Reduce::Op op) = 0;
};

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_MPI_CHUNKS_H_
