// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One kind of brackets: what stretches of a text do to the depth, and where the
// first fault is.

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_TBB_DEPTHS_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_TBB_DEPTHS_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "concord/algorithms/match_parens/match_parens.h"

namespace concord::match_parens {

// What a stretch does to the depth.
struct Depths {
  std::int64_t sum = 0;
  std::int64_t lowest = 0;  // of all prefixes, the empty one among them

  void Append(Depths next) {
    lowest = std::min(lowest, sum + next.lowest);
    sum += next.sum;
  }
};

// Elements: in the second-level cache when a fault is looked for.
inline constexpr std::int64_t kChunk = std::int64_t{256} << 10;

// Of stretches that follow each other, the one that has the first fault.
struct FaultyStretch {
  std::int64_t number = -1;  // -1: the depth is zero in the end, and no fault
  std::int64_t depth = 0;    // before the stretch
  // The depth falls below zero in it. Otherwise it is zero in it for the last
  // time, and not in the end.
  bool is_below = false;
};
FaultyStretch FindFaultyStretch(absl::Span<const Depths> stretches,
                                std::int64_t depth);

// A text, by chunks.
class OneKind {
 public:
  OneKind(const std::uint8_t* in, std::int64_t n, const Brackets& brackets)
      : in_(in), n_(n), open_(brackets.open), close_(brackets.close) {}

  Depths DepthsOfChunk(std::int64_t chunk) const {
    return Fold(chunk * kChunk, End(chunk));
  }

  // Of the text with these chunks, before which the depth is `depth`: the
  // position of the fault or -1. Where the depth is not zero before the text, a
  // bracket that is never closed is one of the text if the depth is zero
  // somewhere in it.
  std::int64_t FirstFault(absl::Span<const Depths> chunks,
                          std::int64_t depth = 0) const;

 private:
  std::int64_t End(std::int64_t chunk) const {
    return std::min((chunk + 1) * kChunk, n_);
  }
  Depths Fold(std::int64_t first, std::int64_t last) const;
  int Step(std::int64_t i) const {
    return (in_[i] == open_) - (in_[i] == close_);
  }
  std::int64_t FirstBelowZero(std::int64_t chunk, std::int64_t depth) const;
  std::int64_t LastFromZero(std::int64_t chunk, std::int64_t depth) const;

  const std::uint8_t* const in_;
  const std::int64_t n_;
  const std::uint8_t open_;
  const std::uint8_t close_;
};

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_TBB_DEPTHS_H_
