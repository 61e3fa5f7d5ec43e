// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_RING_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_RING_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "concord/backends/mpi/stretches.h"

namespace concord::similar_pairs {

// Who compares which rows, so that each pair of rows is compared once. Ranks
// stand in a ring. In step s the rows of the rank s places on come by, and in
// step 0 the rank's own. After half of the ranks everybody has met everybody.
//
// Where the number of ranks is even, two ranks meet each other twice in the
// last step: the lower one then compares the first half of the other's rows
// with its own, and the higher one the other's rows with the second half of its
// own.
class Ring {
 public:
  // The rows of each rank.
  explicit Ring(Ranges rows) : rows_(std::move(rows)) {}

  int size() const { return static_cast<int>(rows_.size()); }
  int steps() const { return size() / 2 + 1; }

  // Whose rows come by.
  int OtherOf(int rank, int step) const { return (rank + step) % size(); }
  // By whom a rank's rows come.
  int ReaderOf(int rank, int step) const {
    return (rank + size() - step) % size();
  }

  // The rows of its own that a rank compares.
  Range Held(int rank, int step) const {
    const Range own = rows_[static_cast<std::size_t>(rank)];
    return IsHalved(step) && !IsLower(rank) ? SecondHalf(own) : own;
  }

  // The rows of the other that it compares them with.
  Range Passing(int rank, int step) const {
    const Range other = rows_[static_cast<std::size_t>(OtherOf(rank, step))];
    return IsHalved(step) && IsLower(rank) ? FirstHalf(other) : other;
  }

  // One of so many pieces of them, as many rows each. Ranks go on to the next
  // piece together, so what they do for one takes equally long.
  Range Passing(int rank, int step, std::int64_t piece,
                std::int64_t pieces) const {
    const Range all = Passing(rank, step);
    return {all.first + all.size() * piece / pieces,
            all.first + all.size() * (piece + 1) / pieces};
  }
  // How many there are, if none has more than so many rows.
  std::int64_t Pieces(int step, std::int64_t piece_rows) const {
    std::int64_t most = 0;
    for (int rank = 0; rank < size(); ++rank) {
      most = std::max(most, Passing(rank, step).size());
    }
    return (most + piece_rows - 1) / piece_rows;
  }

  bool IsHalved(int step) const { return step > 0 && 2 * step == size(); }

 private:
  // Of two that are half of the ring apart.
  bool IsLower(int rank) const { return 2 * rank < size(); }

  static std::int64_t Middle(Range range) {
    return range.first + range.size() / 2;
  }
  static Range FirstHalf(Range range) { return {range.first, Middle(range)}; }
  static Range SecondHalf(Range range) { return {Middle(range), range.last}; }

  Ranges rows_;
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_RING_H_
