// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The chunks of a rank's stretch on its GPU, a block of threads for each.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/reduce/mpi/chunks.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::reduce {
namespace {

template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocksPerMultiprocessor)
    ReduceChunks(Span<const T> in, T* results) {
  constexpr TreeCut<T> kCut{Reduce::kRowsPerSegment};
  const T result = ReduceChunk<Op>(ArraySource<T>{in}, kCut, blockIdx.x);
  if (threadIdx.x == 0) results[blockIdx.x] = result;
}

class ChunksOnCuda : public Chunks {
 public:
  explicit ChunksOnCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))) {}

  absl::Status Run(ConstArrayView in, ArrayView results,
                   Reduce::Op op) override {
    if (in.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(backend_->Activate());
    return DispatchReduce(op, in.type(), [&](auto any_op) -> absl::Status {
      using Op = decltype(any_op);
      using T = typename Op::Element;
      if constexpr (kOrderMatters<Op>) {
        return QueueKernel(
            *backend_, kName, ReduceChunks<Op>, {results.size(), kTreeThreads},
            ShiftedSpan(in.data<T>(), in.size(), 0), results.data<T>());
      } else {
        return InternalError("chunks are for what depends on the order");
      }
    });
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
};

const bool kChunksRegistered = Registry<Chunks>::Get().Add<ChunksOnCuda>(
    "cuda", "tree", /*rank=*/10, "a block for each chunk", Contract());

}  // namespace
}  // namespace concord::reduce
