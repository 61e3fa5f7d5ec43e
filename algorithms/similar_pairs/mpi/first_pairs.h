// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_FIRST_PAIRS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_FIRST_PAIRS_H_

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "concord/algorithms/similar_pairs/blocks.h"

namespace concord::similar_pairs {

// As ranks send them to each other.
struct Pair {
  std::int64_t i = 0;
  std::int64_t j = 0;
  double distance2 = 0;

  friend bool operator<(const Pair& a, const Pair& b) {
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  }
};

// Of all pairs that a rank finds, the first ones, as many as there is room for
// in the output: no others can be among the first of all ranks.
class FirstPairs {
 public:
  void Clear(std::int64_t room) {
    room_ = room;
    pairs_.clear();
  }

  // As BlockPairs::Take has it: from several threads at a time.
  void Add(std::int64_t i, std::int64_t place,
           absl::Span<const Neighbour> neighbours) {
    const std::int64_t left = std::max<std::int64_t>(room_ - place, 0);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Neighbour& neighbour : neighbours.first(static_cast<std::size_t>(
             std::min(left, static_cast<std::int64_t>(neighbours.size()))))) {
      pairs_.push_back({i, neighbour.j, neighbour.distance2});
    }
  }

  // To be called after each search, so that there are never more than twice as
  // many as there is room for.
  void Prune() {
    const auto room = static_cast<std::size_t>(room_);
    if (pairs_.size() <= room) return;
    std::nth_element(pairs_.begin(), pairs_.begin() + room_, pairs_.end());
    pairs_.resize(room);
  }

  // In order.
  const std::vector<Pair>& Sorted() {
    std::sort(pairs_.begin(), pairs_.end());
    return pairs_;
  }

 private:
  std::int64_t room_ = 0;
  std::mutex mutex_;
  std::vector<Pair> pairs_;
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_MPI_FIRST_PAIRS_H_
