// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_SERIAL_PLAIN_PAIRS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_SERIAL_PLAIN_PAIRS_H_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "concord/algorithms/similar_pairs/blocks.h"
#include "concord/algorithms/similar_pairs/distance.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"

namespace concord::similar_pairs {

// Calls f(i, j, squared distance) for each sketch i of `a` and each sketch j of
// `b` behind it that are similar, in order: one pair after the other.
template <typename T, typename F>
void ForPlainPairs(const Block& a, const Block& b, double distance2,
                   std::int64_t dim, const F& f) {
  const Distance<T> distance(distance2, dim);
  const std::int64_t last_of_a = a.first + a.sketches.size() / dim;
  const std::int64_t last_of_b = b.first + b.sketches.size() / dim;
  for (std::int64_t i = a.first; i < last_of_a; ++i) {
    const T* const sketch = a.sketches.data<T>() + (i - a.first) * dim;
    for (std::int64_t j = std::max(b.first, i + 1); j < last_of_b; ++j) {
      const T* const other = b.sketches.data<T>() + (j - b.first) * dim;
      double found;
      if (distance.template Within<1>(sketch, &other, &found) != 0) {
        f(i, j, found);
      }
    }
  }
}

// By that loop.
std::unique_ptr<BlockPairs> NewPlainPairs(ElementType type,
                                          const SimilarPairs::Options& options);

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_SERIAL_PLAIN_PAIRS_H_
