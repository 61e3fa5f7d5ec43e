// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on several GPUs. Each member reduces the chunks that lie
// with it, and stores their results in member 0's memory by their numbers;
// member 0 folds them. The tree depends on indices alone, so which member has
// which chunk changes no bit.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"

namespace concord::reduce {
namespace {

template <typename T>
constexpr TreeCut<T> kCut{Reduce::kRowsPerSegment};

// One block for each chunk of the share.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocksPerMultiprocessor)
    ReduceShare(Span<const T> in, const __grid_constant__ Share share,
                T* chunks) {
  const uint32_t chunk = share(blockIdx.x);
  const T result = ReduceChunk<Op>(ArraySource<T>{in}, kCut<T>, chunk);
  if (threadIdx.x == 0) chunks[chunk] = result;
}

// One block: the upper levels.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads)
    FoldShares(T* chunks, int64_t count, T* out) {
  T result = chunks[0];
  FoldChunks<Op, UsualUnrolling<T>>(kCut<T>, chunks, count, result);
  if (threadIdx.x == 0) *out = CanonicalNan(result);
}

class ReduceFixedTree : public OnGpus<Reduce> {
 public:
  using OnGpus<Reduce>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    return DispatchReduce(options.op, in.type(), [&](auto any_op) {
      return Launch<SignFree<decltype(any_op)>>(in, out);
    });
  }

 private:
  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    if (in.empty()) {
      const T empty = Op::Empty();
      return backend()->Copy(ConstArrayView(&empty, 1, Memory::Host()),
                             ArrayView(out.data<T>(), 1, out.memory()));
    }
    const Span<const T> span = kOrderMatters<Op>
                                   ? ShiftedSpan(in.data<T>(), in.size(), 0)
                                   : AlignedSpan(in.data<T>(), in.size());
    const std::int64_t chunks = kCut<T>.Chunks(span.end);
    RETURN_IF_ERROR(scratch_.Reserve<T>(kCut<T>.Results(span.end)));
    T* const results = scratch_.data<T>();
    RETURN_IF_ERROR(QueueShares(
        *backend(), span.base, kChunkBytes, chunks,
        [&](int i, const Share& share) {
          return QueueKernel(*backend()->member(i), name(), ReduceShare<Op>,
                             {share.count, kTreeThreads}, span, share, results);
        }));
    return QueueKernel(*backend()->member(0), name(), FoldShares<Op>,
                       {1, kTreeThreads}, results, chunks, out.data<T>());
  }

  // Results of chunks, in the first member's memory.
  Scratch scratch_{backend()->member(0)};
};

const bool kRegistered = RegisterOnGpus<ReduceFixedTree>(
    "fixed_tree", /*rank=*/10,
    "each member the chunks that lie with it, folded by the first",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        .Boundaries(
            {Reduce::kRowBytes, Reduce::kSegmentBytes, Reduce::kChunkBytes},
            {1, 4, 8})
        .Boundaries(StripeBoundaries())
        .Keeps("a result for each chunk, in the first member's memory")
        .Notes("the same bits for any number of members and both layouts"));

}  // namespace
}  // namespace concord::reduce
