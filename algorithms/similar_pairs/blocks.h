// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Parts of all sketches that are compared with each other, for implementations
// that do not have all of them in one place.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_BLOCKS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_BLOCKS_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/array.h"

namespace concord::similar_pairs {

// Sketches that follow each other.
struct Block {
  ConstArrayView sketches;  // in host memory
  std::int64_t first = 0;   // the number of the first of them

  bool empty() const { return sketches.size() == 0; }
  friend bool operator==(const Block& a, const Block& b) {
    return a.first == b.first && a.sketches.data() == b.sketches.data() &&
           a.sketches.size() == b.sketches.size();
  }
};

// One of a sketch's pairs: the sketch behind it that it is similar to.
struct Neighbour {
  std::int64_t j = 0;
  double distance2 = 0;
};

// Pairs of which one sketch is of a block that is held, the other one of a
// block that comes by.
class BlockPairs {
 public:
  // Of sketch i, those behind it that are similar, in order. The first of them
  // is at this place among all pairs that are found, in order of i and then of
  // j.
  using Take = std::function<void(std::int64_t i, std::int64_t place,
                                  absl::Span<const Neighbour> neighbours)>;

  virtual ~BlockPairs() = default;

  // The block to be held. Its sketches stay where they are.
  virtual absl::Status Hold(const Block& block) = 0;

  // Returns how many pairs there are, and calls `take` for each sketch that is
  // the first of some: from several threads at a time, in no order. `other` is
  // the held block, a part of it, or has nothing in common with it.
  virtual absl::StatusOr<std::int64_t> Find(const Block& other,
                                            const Take& take) = 0;
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_BLOCKS_H_
