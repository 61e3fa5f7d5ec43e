// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory.
//
// One kind: a stretch is known by how far it leads up or down and by its lowest
// point, and these pairs can be combined in any grouping, so threads and the
// bytes of vectors each take their own. That is the scan and reduction of R.
// Yadav and B. Houghton, "StandardML-GPU" (2017), as one reduction. Where the
// text is not balanced, the piece with the first fault is looked at again.
//
// Several kinds: a thread reduces its chunk to the brackets without a partner
// in it, ")))(((" (I. Bar-On and U. Vishkin, 1985), and these are matched
// chunk by chunk.

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/tbb/depths.h"
#include "concord/algorithms/match_parens/tbb/kinds.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

// Fewer chunks are left to the calling thread: waking another takes as long.
constexpr std::int64_t kParallelChunks = 4;

// Calls f(chunk) for all chunks, in parallel where that pays.
template <typename F>
void ForEachChunk(TbbBackend& backend, std::int64_t chunks, const F& f) {
  if (chunks < kParallelChunks) {
    for (std::int64_t c = 0; c < chunks; ++c) f(c);
    return;
  }
  backend.ForEach(chunks, f);
}

absl::StatusOr<std::int64_t> FirstFaultOfOneKind(TbbBackend& backend,
                                                 const std::uint8_t* in,
                                                 std::int64_t n,
                                                 const Brackets& brackets) {
  const std::int64_t count = (n + kChunk - 1) / kChunk;
  ASSIGN_OR_RETURN(Array memory,
                   backend.Allocate(ElementType::kInt64, 2 * count));
  auto* const chunks = reinterpret_cast<Depths*>(memory.data<std::int64_t>());
  const OneKind kind(in, n, brackets);
  ForEachChunk(backend, count,
               [&](std::int64_t c) { chunks[c] = kind.DepthsOfChunk(c); });
  return kind.FirstFault({chunks, static_cast<std::size_t>(count)});
}

absl::StatusOr<std::int64_t> FirstFaultOfKinds(TbbBackend& backend,
                                               const std::uint8_t* in,
                                               std::int64_t n,
                                               const Brackets& brackets) {
  const std::int64_t count = (n + kChunk - 1) / kChunk;
  ASSIGN_OR_RETURN(Array memory, backend.Allocate(ElementType::kUInt8, n));
  ASSIGN_OR_RETURN(
      Array chunk_memory,
      backend.Allocate(
          ElementType::kInt64,
          count * static_cast<std::int64_t>(sizeof(Unmatched) / sizeof(n))));
  auto* const chunks =
      reinterpret_cast<Unmatched*>(chunk_memory.data<std::int64_t>());
  ForEachChunk(backend, count, [&](std::int64_t c) {
    const std::int64_t first = c * kChunk;
    chunks[c] = Unmatched::Of(in, first, std::min(first + kChunk, n), brackets,
                              memory.data<std::uint8_t>() + first);
  });
  return FirstFaultOfChunks(in, brackets,
                            {chunks, static_cast<std::size_t>(count)});
}

class MatchParensTbb : public OnTbb<MatchParens> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView fault,
                       const Options& options) override {
    const Brackets brackets = *BracketsOf(options, in.type());
    const auto* const bytes = static_cast<const std::uint8_t*>(in.data());
    ASSIGN_OR_RETURN(
        std::int64_t found,
        brackets.kinds == 1
            ? FirstFaultOfOneKind(backend(), bytes, in.size(), brackets)
            : FirstFaultOfKinds(backend(), bytes, in.size(), brackets));
    *fault.data<std::int64_t>() = found;
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<MatchParens>::Get().Add<MatchParensTbb>(
    "tbb", "fused", /*rank=*/10,
    "one pass; one kind: depths in every byte of a vector, several: a stack "
    "for each chunk",
    Contract()
        // Blocks of streams, pieces, chunks.
        .Boundaries({16, 16 * 64, 16 * 15 * 64, 4096, kChunk,
                     (kParallelChunks * kChunk)}));

}  // namespace
}  // namespace concord::match_parens
