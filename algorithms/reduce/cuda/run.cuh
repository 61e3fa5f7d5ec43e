// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_REDUCE_CUDA_RUN_CUH_

#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/operator_traits.cuh"

namespace concord::reduce {

// What every reduction on a GPU does before it launches. `Derived` has
//
//   template <typename Op>
//   absl::Status Launch(ConstArrayView in, ArrayView out);
//
// which is called with at least one element, of the type Op::Element or of the
// other type of integers of the same size.
template <typename Derived>
class ReduceOnCuda : public OnCuda<Reduce> {
 public:
  using OnCuda<Reduce>::OnCuda;

  absl::Status Compute(ConstArrayView in, ArrayView out,
                   const Options& options) final {
    return DispatchReduce(options.op, in.type(), [&](auto any_op) {
      using Op = SignFree<decltype(any_op)>;
      if (in.empty()) {
        return Store(Op::Empty(), out.data<typename Op::Element>());
      }
      return static_cast<Derived*>(this)->template Launch<Op>(in, out);
    });
  }
};

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_CUDA_RUN_CUH_
