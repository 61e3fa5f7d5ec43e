// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What kernel.h makes of leaves and combines them with, for those who use it:
// to be included before it.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_TBB_LEAVES_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_TBB_LEAVES_H_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"

namespace concord::max_subarray {

// By leaves: the numbers of those where runs begin and end.
template <typename T>
using LeafSummary = Summary<SumOf<T>, std::int64_t>;

template <typename T>
LeafSummary<T> SummaryOfWholeLeaf(const T* in, std::int64_t count,
                                  std::int64_t number) {
  LeafSummary<T> summary = SummaryOfLeaf<SumOf<T>>(in, 0, count);
  summary.prefix_end = summary.suffix_begin = number;
  summary.best_begin = summary.best_end = number;
  return summary;
}

// The same summary of what lies `by` places further on.
template <typename T>
LeafSummary<T> Moved(LeafSummary<T> summary, std::int64_t by) {
  summary.prefix_end += by;
  summary.suffix_begin += by;
  summary.best_begin += by;
  summary.best_end += by;
  return summary;
}

// The best run of a summary by leaves, by elements. `by_elements` gives the
// summary of a leaf by elements.
template <typename T, typename ByElements>
LeafSummary<T> LocateBest(LeafSummary<T> summary,
                          const ByElements& by_elements) {
  const LeafSummary<T> front = by_elements(summary.best_begin);
  if (summary.best_begin == summary.best_end) {
    summary.best_begin = front.best_begin;
    summary.best_end = front.best_end;
  } else {
    summary.best_end = by_elements(summary.best_end).prefix_end;
    summary.best_begin = front.suffix_begin;
  }
  return summary;
}

// The binary tree of max_subarray.h over summaries that come one after the
// other: of each size, a power of two, at most one waits for its neighbour, as
// the digits of a binary number.
template <typename T>
class TreeOfSummaries {
 public:
  void Add(LeafSummary<T> summary) {
    int level = 0;
    for (; (count_ >> level & 1) != 0; ++level) {
      summary = Combine(waiting_[level], summary);
    }
    waiting_[level] = summary;
    ++count_;
  }

  // After at least one Add.
  LeafSummary<T> Root() const {
    int level = 0;
    while ((count_ >> level & 1) == 0) ++level;
    LeafSummary<T> root = waiting_[level];
    for (++level; count_ >> level != 0; ++level) {
      if ((count_ >> level & 1) != 0) root = Combine(waiting_[level], root);
    }
    return root;
  }

 private:
  std::int64_t count_ = 0;
  LeafSummary<T> waiting_[64];
};

// Elements of a leaf: as defined for floats. Integers are free to have longer
// ones, of which fewer need to be combined; from 2 KiB on, a vector's leaves
// compete for the same sets of the first-level cache.
template <typename T>
inline constexpr int kLeafElements =
    (std::is_floating_point_v<T> ? MaxSubarray::kLeafBytes : 1024) / sizeof(T);

// A power of two of leaves, so that every chunk is a subtree.
inline constexpr std::int64_t kChunkBytes = std::int64_t{256} << 10;

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_TBB_LEAVES_H_
