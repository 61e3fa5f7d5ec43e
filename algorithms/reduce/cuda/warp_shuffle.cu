// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h on a GPU (tree.cuh). Where the order does not matter the
// same frame serves, with shorter segments that spread small arrays over more
// multiprocessors; where it does, blocks take fewer segments (few_chunks.cuh).

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/reduce/cuda/few_chunks.cuh"
#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/reduce/cuda/tree_memory.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::reduce {
namespace {

// One block for each chunk.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kTreeThreads, kTreeBlocksPerMultiprocessor)
    ReduceArray(Span<const T> in, TreeCut<T> cut, char* memory, T* out) {
  StartBesideGridBefore();
  T result;
  if (ReduceTree<Op>(ArraySource<T>{in}, cut, memory, result) &&
      threadIdx.x == 0) {
    *out = CanonicalNan(result);
  }
}

class ReduceWarpShuffle : public ReduceOnCuda<ReduceWarpShuffle> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    constexpr TreeCut<T> kFull{Reduce::kRowsPerSegment};
    if constexpr (kOrderMatters<Op>) {
      const Span<const T> span = ShiftedSpan(in.data<T>(), in.size(), 0);
      const int64_t segments = DivideUp(span.end, kFull.SegmentElements());
      if (segments <= kFewSegments && span.aligned()) {
        return launcher_.Queue(name(),
                               IsWhole(span) ? ReduceFewSegments<Op, true>
                                             : ReduceFewSegments<Op, false>,
                               {1, segments * kWarpSize}, span, out.data<T>());
      }
      // From more on, whole chunks are faster.
      if (segments <= MostSegments()) {
        return LaunchSegments<Op>(span, kFull, out.data<T>());
      }
      return LaunchArray<Op>(span, kFull, out.data<T>());
    } else {
      const Span<const T> span = AlignedSpan(in.data<T>(), in.size());
      const int64_t bytes = span.end * static_cast<int64_t>(sizeof(T));
      if (bytes <= kBytesAtOnce) {
        return IsWhole(span) && 2 * bytes <= kBytesAtOnce
                   ? ReduceBytesAtOnce<Op, true>(span, out.data<T>())
                   : ReduceBytesAtOnce<Op, false>(span, out.data<T>());
      }
      // From half as many chunks as multiprocessors on, long segments are
      // faster: by 7 % at 2^28 int32 elements.
      const bool few =
          2 * kFull.Chunks(span.end) < backend()->multiprocessors();
      return LaunchArray<Op>(span, few ? TreeCut<T>{kTreeLoads} : kFull,
                             out.data<T>());
    }
  }

 private:
  template <typename T>
  static bool IsWhole(Span<const T> in) {
    return in.aligned() && in.begin == 0 && in.end % Vector<T>::kLanes == 0;
  }

  template <typename Op, bool kWhole, typename T = typename Op::Element>
  absl::Status ReduceBytesAtOnce(Span<const T> in, T* out) {
    return launcher_.Queue(name(), ReduceAtOnce<Op, kWhole>,
                           {1, kThreadsAtOnce<kWhole>}, in, out);
  }

  // Two for each block, and a block on each multiprocessor.
  int64_t MostSegments() const {
    return std::min<int64_t>(
        int64_t{kSegmentsInShared} * backend()->multiprocessors(),
        TreeMemory::kMostTold);
  }

  template <typename Op, typename T = typename Op::Element>
  absl::Status LaunchArray(Span<const T> in, TreeCut<T> cut, T* out) {
    RETURN_IF_ERROR(scratch().Reserve(cut.MemoryBytes(in.end)));
    return launcher_.Queue(name(), ReduceArray<Op>,
                           {cut.Chunks(in.end), kTreeThreads}, in, cut,
                           scratch().data<char>(), out);
  }

  template <typename Op, typename T = typename Op::Element>
  absl::Status LaunchSegments(Span<const T> in, TreeCut<T> cut, T* out) {
    const int64_t chunks = cut.Chunks(in.end);
    const int64_t segments = chunks * kTreeWarps;
    const int here =
        segments <= backend()->multiprocessors() ? 1 : kSegmentsInShared;
    RETURN_IF_ERROR(scratch().Reserve(TreeMemory::Bytes(0, 0)));
    return launcher_.Queue(
        name(), ReduceSegments<Op>, {segments / here, kTreeThreads}, in, cut,
        here, static_cast<int>(chunks), scratch().data<char>(), out);
  }

  DependentLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<ReduceWarpShuffle>(
    "warp_shuffle", /*rank=*/10,
    "a warp for each segment, combined through shuffles; one launch",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        // Segments and chunks of 8, 4 and 1 byte, those of 8 rows and those
        // of 32; what a block loads at once; what the most blocks that share
        // a chunk have on a GPU of 132 multiprocessors.
        .Boundaries({512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 262144,
                     264 * 2048, 264 * 4096})
        .Keeps("a counter of blocks and what few blocks tell, which each call "
               "leaves at zero")
        .Notes("sums and products of floats are fastest at addresses divisible "
               "by 16"));

}  // namespace
}  // namespace concord::reduce
