// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KINDS_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KINDS_CUH_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::match_parens {

// Finds the first fault with several kinds of brackets, after I. Bar-On and U.
// Vishkin, "Optimal parallel generation of a computation tree form" (ACM TOPLAS
// 7(2), 1985): pieces are reduced to their brackets without a partner, and in a
// stable sort by depth partners are neighbours.
//
//   1. A thread goes through a row of 256 elements with a stack. What is left
//      is ")))(((" and, if it finds one, a wrong closing bracket.
//   2. A scan over the rows gives the depth at which each begins, and where
//      what is left of it belongs.
//   3. What is left is written there, with its depth, by the same way again.
//   4. It is sorted by depth. A closing bracket's partner is what comes before
//      it, an opening bracket's what comes after it.
//
// The first fault is the least position of all that show: up to there every
// bracket has the partner that the stack would give it.
class KindMatcher {
 public:
  explicit KindMatcher(std::shared_ptr<CudaBackend> backend);

  // Waits for the device once, to learn how much is to be sorted.
  absl::Status FindFault(Span<const std::uint8_t> in, const Brackets& brackets,
                         std::int64_t* fault);

 private:
  absl::Status SortAndCompare(std::int64_t brackets_left);

  std::shared_ptr<CudaBackend> backend_;
  Scratch table_;
  Scratch rows_;
  Scratch left_;
  Scratch cub_;
  Scratch faults_;
};

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_KINDS_CUH_
