// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_REDUCE_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_REDUCE_REDUCE_CUDA_RUN_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/reduce/reduce.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/operator_traits.cuh"
#include "backends/cuda/scratch.cuh"

namespace concord {

// What every reduction on a GPU does before it launches. `Derived` has
//
//   template <typename Op>
//   absl::Status Launch(ConstArrayView in, ArrayView out);
//
// which is called for elements of the type Op::Element or of the other type of
// integers of the same size.
template <typename Derived>
class ReduceOnCuda : public Reduce {
 public:
  // `name`: "reduce/cuda/cub".
  ReduceOnCuda(std::shared_ptr<Backend> backend, const char* name)
      : name_(name), backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) final {
    absl::Status status =
        CheckReduceArguments(in, out, options, backend_->memory(), name_);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    return DispatchReduce(options.op, in.type(), [&](auto op) {
      return static_cast<Derived*>(this)
          ->template Launch<SignFree<decltype(op)>>(in, out);
    });
  }

 protected:
  const char* name() const { return name_; }
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  Scratch& scratch() { return scratch_; }

 private:
  const char* name_;
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_REDUCE_REDUCE_CUDA_RUN_CUH_
