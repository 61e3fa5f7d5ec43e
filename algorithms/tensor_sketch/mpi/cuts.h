// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_MPI_CUTS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_MPI_CUTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"

namespace concord::tensor_sketch {

// Between two rows: where the share of one rank ends and that of the next one
// begins.
struct Cut {
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
inline constexpr std::int64_t kRowCost = 64;

// Sequences that follow each other, and what their rows cost: their letters,
// and kRowCost for each.
class Sequences {
 public:
  // Sequence first + k is [offsets[k], offsets[k + 1]), which are to stay where
  // they are; `first_row` is its first row.
  Sequences(absl::Span<const std::int64_t> offsets, std::int64_t first,
            std::int64_t first_row, const TensorSketch::Options& options)
      : offsets_(offsets), first_(first), options_(options) {
    rows_.push_back(first_row);
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      rows_.push_back(rows_.back() + SketchRows::WindowsOf(
                                         offsets[k + 1] - offsets[k], options));
    }
  }

  // Behind the rows that cost less than `cost` together, all of which are of
  // these sequences or before. False where these sequences come later.
  bool Find(std::int64_t cost, Cut& cut) const {
    std::int64_t low = 0;
    std::int64_t high = static_cast<std::int64_t>(rows_.size()) - 1;
    if (high == 0 || CostBefore(0) > cost) return false;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (CostBefore(middle) <= cost ? low : high) = middle;
    }
    const std::int64_t step = options_.stride + kRowCost;
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
    return offsets_[k] + rows_[k] * kRowCost;
  }
  Cut AtSequence(std::int64_t k) const {
    return {rows_[k], first_ + k, offsets_[k], offsets_[k], 0};
  }

  const absl::Span<const std::int64_t> offsets_;
  const std::int64_t first_;
  const TensorSketch::Options options_;
  // The first row of each, and of what follows them.
  std::vector<std::int64_t> rows_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_MPI_CUTS_H_
