// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory. Summaries of stretches (max_subarray_summary.h) can be
// combined in any grouping, so stretches can be looked at side by side: threads
// share the chunks, and a leaf goes in each lane of a vector, which takes a
// transposition of small squares to bring about. This is the parallel reduction
// of G. E. Blelloch, "Prefix sums and their applications" (1990), with the
// four sums of J. Bentley's divide and conquer as its operator.
//
// The loop keeps sums and no places. What the tree combines says in which leaf
// the best run begins and ends, and those two are looked at again.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/algorithms/max_subarray/tbb/leaves.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::max_subarray {
namespace {

// Fewer chunks are left to the calling thread: waking another takes as long.
constexpr std::int64_t kParallelChunks = 4;

}  // namespace
}  // namespace concord::max_subarray

#define CONCORD_SIMD_FILE "concord/algorithms/max_subarray/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::max_subarray {
namespace {

template <typename T>
absl::StatusOr<LeafSummary<T>> Summarize(TbbBackend& backend, const T* in,
                                         std::int64_t n) {
  constexpr std::int64_t kLeaf = kLeafElements<T>;
  constexpr std::int64_t kChunkLeaves = kChunkBytes / (kLeaf * sizeof(T));
  const auto summarize =
      CONCORD_SIMD_CHOOSE(SummarizeRange<T, kLeafElements<T>>);
  const std::int64_t leaves = (n + kLeaf - 1) / kLeaf;
  const std::int64_t chunks = (leaves + kChunkLeaves - 1) / kChunkLeaves;
  if (chunks < kParallelChunks || backend.threads() == 1) {
    return summarize(in, n, 0, leaves);
  }
  constexpr std::int64_t kBytes = sizeof(LeafSummary<T>);
  ASSIGN_OR_RETURN(Array memory,
                   backend.Allocate(ElementType::kUInt8, chunks * kBytes));
  auto* const summaries =
      reinterpret_cast<LeafSummary<T>*>(memory.data<std::uint8_t>());
  backend.ForEach(chunks, [&](std::int64_t c) {
    summaries[c] = summarize(in, n, c * kChunkLeaves,
                             std::min((c + 1) * kChunkLeaves, leaves));
  });
  TreeOfSummaries<T> tree;
  for (std::int64_t c = 0; c < chunks; ++c) tree.Add(summaries[c]);
  return tree.Root();
}

// The same best run, by elements.
template <typename T>
LeafSummary<T> Locate(LeafSummary<T> root, const T* in, std::int64_t n) {
  constexpr std::int64_t kLeaf = kLeafElements<T>;
  return LocateBest<T>(root, [&](std::int64_t leaf) {
    return SummaryOfLeaf<SumOf<T>>(in, leaf * kLeaf,
                                   std::min((leaf + 1) * kLeaf, n));
  });
}

class MaxSubarrayTbb : public OnTbb<MaxSubarray> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                       const Options&) override {
    return Dispatch(in.type(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      auto* const sum_of_run = sum.data<SumOf<T>>();
      auto* const bounds = run.data<std::int64_t>();
      if (in.empty()) {
        StoreEmptyResult(sum_of_run, bounds);
      } else {
        const T* const values = in.data<T>();
        const std::int64_t n = in.size();
        ASSIGN_OR_RETURN(LeafSummary<T> root, Summarize(backend(), values, n));
        StoreResult(Locate(root, values, n), n, sum_of_run, bounds);
      }
      return absl::OkStatus();
    });
  }
};

const bool kRegistered = Registry<MaxSubarray>::Get().Add<MaxSubarrayTbb>(
    "tbb", "fused", /*rank=*/10,
    "one pass; a leaf in each lane of a vector, threads over chunks",
    Contract()
        .SpecialValues("a NaN, or infinities of both signs: NaN, and the run "
                       "is the whole input")
        // The leaves that are gone through at the same time, and chunks.
        .Boundaries({16 * 1024}, {4, 8})
        .Boundaries({32 * 1024, kChunkBytes, (kParallelChunks * kChunkBytes)})
        .Boundaries({kChunkBytes, (kParallelChunks * kChunkBytes)}, {4, 8})
        .Notes("with 64-bit integers the sum of every run has to fit 64 bits"));

}  // namespace
}  // namespace concord::max_subarray
