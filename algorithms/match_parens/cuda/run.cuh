// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_RUN_CUH_

#include <cstdint>

#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::match_parens {

// What every implementation on a GPU does first, and all that it does with
// several kinds of brackets.
class MatchParensOnCuda : public OnCuda<MatchParens> {
 public:
  using OnCuda<MatchParens>::OnCuda;

  absl::Status Compute(ConstArrayView in, ArrayView fault,
                   const Options& options) final {
    auto* const position = fault.data<std::int64_t>();
    if (in.empty()) return Store<std::int64_t>(-1, position);
    const Brackets brackets = *BracketsOf(options, in.type());
    const Span<const std::uint8_t> span =
        AlignedSpan(static_cast<const std::uint8_t*>(in.data()), in.size());
    return brackets.kinds > 1 ? kinds_.FindFault(span, brackets, position)
                              : MatchOneKind(span, brackets, position);
  }

 private:
  // `in` has at least one element.
  virtual absl::Status MatchOneKind(Span<const std::uint8_t> in,
                                    const Brackets& brackets,
                                    std::int64_t* fault) = 0;

  KindMatcher kinds_{backend()};
};

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_CUDA_RUN_CUH_
