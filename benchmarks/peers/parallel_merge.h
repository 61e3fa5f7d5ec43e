// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_PEERS_PARALLEL_MERGE_H_
#define CONCORD_BENCHMARKS_PEERS_PARALLEL_MERGE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "concord/backends/tbb/tbb_backend.h"

namespace concord {

// Two sorted sequences of which a part is to be merged.
template <typename T>
struct SortedPair {
  const T* a;
  std::int64_t a_size;
  const T* b;
  std::int64_t b_size;
};

// How many of the first `count` elements of the merged sequence are of a.
template <typename T, typename Less>
std::int64_t OfFirst(const SortedPair<T>& pair, std::int64_t count,
                     const Less& less) {
  std::int64_t low = std::max<std::int64_t>(0, count - pair.b_size);
  std::int64_t high = std::min(count, pair.a_size);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (less(pair.b[count - middle - 1], pair.a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Writes the elements [first, last) of the merged sequence to out[first, last).
template <typename T, typename Less>
void MergePart(const SortedPair<T>& pair, std::int64_t first, std::int64_t last,
               T* out, const Less& less) {
  std::int64_t i = OfFirst(pair, first, less);
  std::int64_t j = first - i;
  const std::int64_t i_end = OfFirst(pair, last, less);
  const std::int64_t j_end = last - i_end;
  out += first;
  // Without jumps, as no CPU foresees which of the two is smaller.
  while (i < i_end && j < j_end) {
    const T a = pair.a[i];
    const T b = pair.b[j];
    const bool take_b = less(b, a);
    *out++ = take_b ? b : a;
    j += take_b;
    i += !take_b;
  }
  out = std::copy(pair.a + i, pair.a + i_end, out);
  std::copy(pair.b + j, pair.b + j_end, out);
}

// Merges the sorted segments between neighbouring bounds, two by two, each time
// on all threads, which take equal parts of what is written.
template <typename T, typename Less>
void MergeSorted(TbbBackend& backend, T* data, std::vector<std::int64_t> bounds,
                 const Less& less) {
  if (bounds.size() <= 2) return;
  const std::int64_t n = bounds.back();
  const std::unique_ptr<T[]> room(new T[n]);
  T* from = data;
  T* to = room.get();
  while (bounds.size() > 2) {
    std::vector<std::int64_t> merged = {0};
    for (std::size_t s = 0; s + 1 < bounds.size(); s += 2) {
      const std::int64_t first = bounds[s];
      const std::int64_t middle = bounds[s + 1];
      const std::int64_t last = s + 2 < bounds.size() ? bounds[s + 2] : middle;
      const SortedPair<T> pair = {from + first, middle - first, from + middle,
                                  last - middle};
      const std::int64_t parts = backend.threads();
      backend.ForEach(parts, [&](std::int64_t part) {
        MergePart(pair, (last - first) * part / parts,
                  (last - first) * (part + 1) / parts, to + first, less);
      });
      merged.push_back(last);
    }
    bounds = std::move(merged);
    std::swap(from, to);
  }
  if (from != data) {
    backend.ForEachRange(n, 16 << 10,
                         [&](std::int64_t first, std::int64_t last) {
                           std::copy(from + first, from + last, data + first);
                         });
  }
}

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_PEERS_PARALLEL_MERGE_H_
