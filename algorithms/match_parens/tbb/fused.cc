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
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/tbb/kinds.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

// What a stretch does to the depth.
struct Depths {
  std::int64_t sum = 0;
  std::int64_t lowest = 0;  // of all prefixes, the empty one among them

  void Append(Depths next) {
    lowest = std::min(lowest, sum + next.lowest);
    sum += next.sum;
  }
};

// In the second-level cache when a fault is looked for.
constexpr std::int64_t kChunk = std::int64_t{256} << 10;

// Fewer chunks are left to the calling thread: waking another takes as long.
constexpr std::int64_t kParallelChunks = 4;

}  // namespace
}  // namespace concord::match_parens

#define CONCORD_SIMD_FILE "concord/algorithms/match_parens/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::match_parens {
namespace {

// Calls f(chunk) for all chunks, in parallel where that pays.
template <typename F>
void ForEachChunk(TbbBackend& backend, std::int64_t chunks, const F& f) {
  if (chunks < kParallelChunks) {
    for (std::int64_t c = 0; c < chunks; ++c) f(c);
    return;
  }
  backend.ForEach(chunks, f);
}

class OneKind {
 public:
  OneKind(const std::uint8_t* in, std::int64_t n, const Brackets& brackets)
      : in_(in), n_(n), open_(brackets.open), close_(brackets.close) {}

  absl::StatusOr<std::int64_t> FirstFault(TbbBackend& backend) const {
    const std::int64_t count = (n_ + kChunk - 1) / kChunk;
    ASSIGN_OR_RETURN(Array memory,
                     backend.Allocate(ElementType::kInt64, 2 * count));
    auto* const chunks = reinterpret_cast<Depths*>(memory.data<std::int64_t>());
    ForEachChunk(backend, count, [&](std::int64_t c) {
      chunks[c] = Fold(c * kChunk, std::min((c + 1) * kChunk, n_));
    });

    // Where the depth falls below zero; until then, where it last was zero.
    std::int64_t depth = 0, last_at_zero = 0;
    for (std::int64_t c = 0; c < count; ++c) {
      if (depth + chunks[c].lowest < 0) return FirstBelowZero(c, depth);
      if (depth + chunks[c].lowest == 0) last_at_zero = c;
      depth += chunks[c].sum;
    }
    if (depth == 0) return -1;
    depth = 0;
    for (std::int64_t c = 0; c < last_at_zero; ++c) depth += chunks[c].sum;
    return LastFromZero(last_at_zero, depth);
  }

 private:
  // A chunk is looked through piece by piece, and one of these by elements.
  static constexpr std::int64_t kPiece = 4096;

  Depths Fold(std::int64_t first, std::int64_t last) const {
    return CONCORD_SIMD_CHOOSE(FoldRange)(in_ + first, last - first, open_,
                                          close_);
  }
  int Step(std::int64_t i) const {
    return (in_[i] == open_) - (in_[i] == close_);
  }

  std::int64_t FirstBelowZero(std::int64_t chunk, std::int64_t depth) const {
    std::int64_t i = chunk * kChunk;
    for (;; i += kPiece) {
      const Depths piece = Fold(i, std::min(i + kPiece, n_));
      if (depth + piece.lowest < 0) break;
      depth += piece.sum;
    }
    while (depth + Step(i) >= 0) depth += Step(i++);
    return i;
  }

  // The last opening bracket of the chunk from which the depth is not zero any
  // more. The depth never falls below.
  std::int64_t LastFromZero(std::int64_t chunk, std::int64_t depth) const {
    const std::int64_t last = std::min((chunk + 1) * kChunk, n_);
    std::int64_t found_piece = 0, found_depth = 0;
    for (std::int64_t i = chunk * kChunk; i < last; i += kPiece) {
      const Depths piece = Fold(i, std::min(i + kPiece, last));
      if (depth + piece.lowest == 0) {
        found_piece = i;
        found_depth = depth;
      }
      depth += piece.sum;
    }
    std::int64_t found = 0;
    depth = found_depth;
    for (std::int64_t i = found_piece; i < std::min(found_piece + kPiece, last);
         ++i) {
      if (depth == 0 && Step(i) > 0) found = i;
      depth += Step(i);
    }
    return found;
  }

  const std::uint8_t* const in_;
  const std::int64_t n_;
  const std::uint8_t open_;
  const std::uint8_t close_;
};

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
            ? OneKind(bytes, in.size(), brackets).FirstFault(backend())
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
