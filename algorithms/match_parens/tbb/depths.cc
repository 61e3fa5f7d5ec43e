// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/tbb/depths.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/algorithms/match_parens/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::match_parens {
namespace {

// A chunk is looked through piece by piece, and one of these by elements.
constexpr std::int64_t kPiece = 4096;

}  // namespace

FaultyStretch FindFaultyStretch(absl::Span<const Depths> stretches,
                                std::int64_t depth) {
  FaultyStretch at_zero;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const std::int64_t lowest = depth + stretches[s].lowest;
    const auto number = static_cast<std::int64_t>(s);
    if (lowest < 0) return {number, depth, /*is_below=*/true};
    if (lowest == 0) at_zero = {number, depth, /*is_below=*/false};
    depth += stretches[s].sum;
  }
  return depth == 0 ? FaultyStretch() : at_zero;
}

Depths OneKind::Fold(std::int64_t first, std::int64_t last) const {
  return CONCORD_SIMD_CHOOSE(FoldRange)(in_ + first, last - first, open_,
                                        close_);
}

std::int64_t OneKind::FirstFault(absl::Span<const Depths> chunks,
                                 std::int64_t depth) const {
  const FaultyStretch found = FindFaultyStretch(chunks, depth);
  if (found.number < 0) return -1;
  return found.is_below ? FirstBelowZero(found.number, found.depth)
                        : LastFromZero(found.number, found.depth);
}

std::int64_t OneKind::FirstBelowZero(std::int64_t chunk,
                                     std::int64_t depth) const {
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
std::int64_t OneKind::LastFromZero(std::int64_t chunk,
                                   std::int64_t depth) const {
  const std::int64_t last = End(chunk);
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

}  // namespace concord::match_parens
