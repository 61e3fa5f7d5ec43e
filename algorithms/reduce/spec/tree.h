// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_SPEC_TREE_H_
#define CONCORD_ALGORITHMS_REDUCE_SPEC_TREE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/reduce/reduce.h"

namespace concord::reduce {

// The tree of reduce.h, written from its root to its leaves: value 0 after the
// last halving is made of values 0 and 1 before it, and so on up. Nothing where
// there is no element; nothing combined with a value is the value.
template <typename T>
class TreeFromTheRoot {
 public:
  explicit TreeFromTheRoot(bool product) : product_(product) {}

  struct Value {
    bool there = false;
    T value = 0;
  };

  Value OfArray(absl::Span<const T> x) const {
    const std::size_t chunk = Reduce::kChunkBytes / sizeof(T);
    if (x.size() <= chunk) return OfChunk(x);
    std::vector<T> results;
    for (; !x.empty(); x.remove_prefix(std::min(x.size(), chunk))) {
      results.push_back(OfChunk(x.subspan(0, chunk)).value);
    }
    return OfArray(results);
  }

 private:
  static constexpr int kLanes = Reduce::kRowBytes / sizeof(T);

  Value Combine(Value a, Value b) const {
    if (!a.there || !b.there) return a.there ? a : b;
    return {true, product_ ? a.value * b.value : a.value + b.value};
  }

  // Value `index` once the halving with distance `half` is done.
  template <typename Leaf>
  Value Halved(int index, int half, int count, const Leaf& leaf) const {
    if (half == count) return leaf(index);
    return Combine(Halved(index, 2 * half, count, leaf),
                   Halved(index + half, 2 * half, count, leaf));
  }

  Value OfChunk(absl::Span<const T> x) const {
    const std::size_t segment = Reduce::kSegmentBytes / sizeof(T);
    return Halved(0, 1, Reduce::kSegmentsPerChunk, [&](int index) {
      const std::size_t first = std::min(x.size(), index * segment);
      return OfSegment(x.subspan(first, segment));
    });
  }

  Value OfSegment(absl::Span<const T> x) const {
    return Halved(0, 1, kLanes, [&](int lane) {
      Value sum;
      for (std::size_t i = lane; i < x.size(); i += kLanes) {
        sum = Combine(sum, {true, x[i]});
      }
      return sum;
    });
  }

  const bool product_;
};

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_SPEC_TREE_H_
