// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h for all types and operators: what fixes the order of
// float sums is also the fastest way to read an array. Threads share the
// chunks; inside a chunk each row is a few vectors, and four segments are read
// at a time.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_FILE "concord/algorithms/reduce/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::reduce {
namespace {

// Integers of no more than this are combined in a plain loop before the lanes
// of a row have been folded.
constexpr std::int64_t kLoopBytes = 2048;

// For less than the largest vector holds, the baseline's will do.
constexpr std::int64_t kVectorBytes = 64;

// Fewer chunks are reduced by the calling thread: waking another takes as long.
// Four took 18 us on two threads and 7 on one, eight 18 and 40.
constexpr std::int64_t kParallelChunks = 8;

template <typename T>
constexpr std::int64_t kChunk = Reduce::kChunkBytes / sizeof(T);

template <typename T, typename Op>
absl::StatusOr<T> ReduceArray(TbbBackend& backend, const T* x, std::int64_t n) {
  if (n == 0) return Op::Empty();
  const auto reduce_chunk = CONCORD_SIMD_CHOOSE(ReduceChunk<T, Op>);
  if (n <= kChunk<T>) return reduce_chunk(x, n);

  const std::int64_t chunks = (n + kChunk<T> - 1) / kChunk<T>;
  ASSIGN_OR_RETURN(Array results, backend.Allocate(ElementTypeOf<T>(), chunks));
  const auto reduce_chunks = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      results.data<T>()[c] = reduce_chunk(
          x + c * kChunk<T>, std::min(n - c * kChunk<T>, kChunk<T>));
    }
  };
  if (chunks < kParallelChunks) {
    reduce_chunks(0, chunks);
  } else {
    backend.ForEachRange(chunks, 1, reduce_chunks);
  }
  return ReduceArray<T, Op>(backend, results.data<T>(), chunks);
}

// A function of its own, because its frame would slow down the calls for a
// handful of elements.
template <typename T, typename Op>
[[gnu::noinline]] absl::Status ReduceVectors(TbbBackend& backend,
                                             ConstArrayView in, ArrayView out) {
  ASSIGN_OR_RETURN(T result,
                   ReduceArray<T, Op>(backend, in.data<T>(), in.size()));
  *out.data<T>() = CanonicalNan(result);
  return absl::OkStatus();
}

class ReduceTbb : public OnTbb<Reduce> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    return DispatchReduce(options.op, in.type(), [&](auto op) -> absl::Status {
      using Op = decltype(op);
      using T = typename Op::Element;
      if constexpr (std::is_integral_v<T>) {
        const std::int64_t n = in.size();
        if (n <= kLoopBytes / std::int64_t{sizeof(T)}) {
          const T* const x = in.data<T>();
          *out.data<T>() = n < kVectorBytes / std::int64_t{sizeof(T)}
                               ? simd_baseline::ReduceLoop<T, Op>(x, n)
                               : CONCORD_SIMD_CHOOSE(ReduceLoop<T, Op>)(x, n);
          return absl::OkStatus();
        }
      }
      return ReduceVectors<T, Op>(backend(), in, out);
    });
  }
};

const bool kRegistered = Registry<Reduce>::Get().Add<ReduceTbb>(
    "tbb", "fixed_tree", /*rank=*/10,
    "vectors over the rows of the tree, threads over its chunks",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        .Boundaries(
            {kVectorBytes, kLoopBytes, Reduce::kRowBytes, Reduce::kSegmentBytes,
             Reduce::kChunkBytes, (kParallelChunks * Reduce::kChunkBytes)},
            {1, 4, 8}));

}  // namespace
}  // namespace concord::reduce
