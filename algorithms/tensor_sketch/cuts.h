// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUTS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"

namespace concord::tensor_sketch {

// Between two rows: where the share of one rank, or GPU, ends and that of the
// next one begins.
struct RowCut {
  // The first row behind it, the sequence of that row, and its first letter.
  std::int64_t row = 0;
  std::int64_t sequence = 0;
  std::int64_t letter = 0;
  // Where the letters of the row before end. Windows overlap or leave gaps.
  std::int64_t end_before = 0;
  // 1 where the row before is of the same sequence.
  std::int64_t inside = 0;
};

// What it takes to begin and end a sketch, in letters: word counts take as long
// as for 300 (README.md: 100 letters against 8 million), the recurrence as for
// a few.
inline constexpr std::int64_t kCostOfRow = 64;

// Sequences that follow each other, and what their rows cost: their letters,
// and kCostOfRow for each.
class SequenceCosts {
 public:
  // Sequence first + k is [offsets[k], offsets[k + 1]), which are to stay where
  // they are; `first_row` is its first row.
  SequenceCosts(absl::Span<const std::int64_t> offsets, std::int64_t first,
                std::int64_t first_row, const TensorSketch::Options& options)
      : offsets_(offsets), first_(first), options_(options) {
    rows_.push_back(first_row);
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      rows_.push_back(rows_.back() + SketchRows::WindowsOf(
                                         offsets[k + 1] - offsets[k], options));
    }
  }

  // Behind all rows.
  RowCut End() const {
    return AtSequence(static_cast<std::int64_t>(rows_.size()) - 1);
  }

  // Behind the rows that cost less than `cost` together, all of which are of
  // these sequences or before. False where these sequences come later.
  bool Find(std::int64_t cost, RowCut& cut) const {
    std::int64_t low = 0;
    std::int64_t high = static_cast<std::int64_t>(rows_.size()) - 1;
    if (high == 0 || CostBefore(0) > cost) return false;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (CostBefore(middle) <= cost ? low : high) = middle;
    }
    // One that is longer than all letters moves no window.
    const std::int64_t step =
        std::min(options_.stride, offsets_.back()) + kCostOfRow;
    const std::int64_t window = (cost - CostBefore(low) + step - 1) / step;
    if (window == 0) {
      cut = AtSequence(low);
    } else if (window >= rows_[low + 1] - rows_[low]) {
      cut = AtSequence(low + 1);
    } else {
      const std::int64_t letter = offsets_[low] + window * options_.stride;
      cut = {rows_[low] + window, first_ + low, letter,
             letter - options_.stride + options_.window, 1};
    }
    return true;
  }

 private:
  std::int64_t CostBefore(std::int64_t k) const {
    return offsets_[k] + rows_[k] * kCostOfRow;
  }
  RowCut AtSequence(std::int64_t k) const {
    return {rows_[k], first_ + k, offsets_[k], offsets_[k], 0};
  }

  const absl::Span<const std::int64_t> offsets_;
  const std::int64_t first_;
  const TensorSketch::Options options_;
  // The first row of each, and of what follows them.
  std::vector<std::int64_t> rows_;
};

// The first `part` of `parts` equal parts of `cost`, without the product, which
// might not fit.
inline std::int64_t CostOfParts(std::int64_t cost, std::int64_t part,
                                std::int64_t parts) {
  return cost / parts * part + cost % parts * part / parts;
}
// The same of what all rows cost, where `end` is behind them.
inline std::int64_t CostOfParts(const RowCut& end, std::int64_t part,
                                std::int64_t parts) {
  return CostOfParts(end.letter + end.row * kCostOfRow, part, parts);
}

// Rows that follow each other, as a problem of their own.
struct RowPart {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  // The letters of all sequences that are theirs.
  LetterRange letters = {0, 0};
  // Where sequences begin among those letters, and the last one ends.
  std::vector<std::int64_t> offsets = {0};
};

// The rows between two cuts.
inline RowPart PartBetween(absl::Span<const std::int64_t> offsets,
                           const RowCut& begin, const RowCut& end) {
  RowPart part;
  part.first_row = begin.row;
  part.rows = end.row - begin.row;
  if (part.rows == 0) return part;
  part.letters = {begin.letter, end.end_before};
  for (std::int64_t k = begin.sequence + 1; k < end.sequence + end.inside;
       ++k) {
    part.offsets.push_back(offsets[k] - begin.letter);
  }
  part.offsets.push_back(end.end_before - begin.letter);
  return part;
}

// Shares all rows out in parts that cost equally much, as far as whole rows
// allow. Some may have none.
inline std::vector<RowPart> ShareRows(absl::Span<const std::int64_t> offsets,
                                      const TensorSketch::Options& options,
                                      int parts) {
  const SequenceCosts all(offsets, 0, 0, options);
  const RowCut end = all.End();
  std::vector<RowPart> shared;
  RowCut begin;
  for (int i = 1; i <= parts; ++i) {
    RowCut next = end;
    if (i < parts && end.row > 0) {
      (void)all.Find(CostOfParts(end, i, parts), next);
    }
    shared.push_back(PartBetween(offsets, begin, next));
    begin = next;
  }
  return shared;
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUTS_H_
