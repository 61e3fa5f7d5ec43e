// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on a GPU (tree.cuh). Where the order does not matter the
// same frame serves, with shorter segments that spread small arrays over more
// multiprocessors.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::reduce {
namespace {

// One block for each chunk.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocksPerMultiprocessor)
    ReduceArray(Span<const T> in, TreeCut<T> cut, T* chunks, unsigned* arrivals,
                T* out) {
  T result;
  if (ReduceTree<Op>(ArraySource<T>{in}, cut, chunks, arrivals, result) &&
      threadIdx.x == 0) {
    *out = CanonicalNan(result);
  }
}

// The counter of arrivals, alone in its cache line; results follow it.
constexpr int64_t kCounterBytes = 128;

class ReduceWarpShuffle : public ReduceOnCuda<ReduceWarpShuffle> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    const Span<const T> span = kOrderMatters<Op>
                                   ? ShiftedSpan(in.data<T>(), in.size(), 0)
                                   : AlignedSpan(in.data<T>(), in.size());
    const TreeCut<T> cut = CutFor<Op>(span.end);
    const int64_t chunks = cut.Chunks(span.end);
    absl::Status status =
        scratch().Reserve(kCounterBytes + cut.Results(span.end) *
                                              static_cast<int64_t>(sizeof(T)));
    if (!status.ok()) return status;
    return Queue(ReduceArray<Op>, {chunks, kTreeThreads}, span, cut,
                 scratch().data<T>(kCounterBytes), scratch().data<unsigned>(),
                 out.data<T>());
  }

 private:
  template <typename Op, typename T = typename Op::Element>
  TreeCut<T> CutFor(int64_t elements) const {
    const TreeCut<T> full{kRowsPerSegment};
    // From half as many chunks as multiprocessors on, long segments are faster:
    // by 7 % at 2^28 int32 elements.
    const bool few = 2 * full.Chunks(elements) < backend()->multiprocessors();
    return !kOrderMatters<Op> && few ? TreeCut<T>{kTreeLoads} : full;
  }
};

const bool kRegistered = RegisterOnCuda<ReduceWarpShuffle>(
    "warp_shuffle", /*rank=*/10,
    "a warp for each segment, combined through shuffles; one launch",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        // Segments and chunks of 8, 4 and 1 byte, those of 8 rows and those
        // of 32.
        .Boundaries({512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144})
        .Keeps("a counter of blocks, which each call leaves at zero")
        .Notes("sums and products of floats are fastest at addresses divisible "
               "by 16"));

}  // namespace
}  // namespace concord::reduce
