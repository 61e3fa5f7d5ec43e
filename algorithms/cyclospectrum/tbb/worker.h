// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WORKER_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WORKER_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/cyclospectrum/tbb/circle.h"
#include "concord/algorithms/radix_sort/tbb/local.h"

namespace concord::cyclospectrum {

// Values of a tile that is counted: as counters, half of a first-level cache.
inline constexpr std::int64_t kCountedValues = 4096;

// Pieces of a tile that is sorted: so many that the pointers, of which each is
// looked at once for a tile, do not matter, and few enough for the cache.
inline constexpr std::int64_t kSortedPieces = std::int64_t{16} << 10;

// Counting takes looking at every value of a range, sorting several moves of
// each piece.
inline constexpr int kValuesOfPiece = 4;

// Works out one range.
template <typename T>
class RangeWorker {
 public:
  using Mass = typename Circle<T>::Mass;

  explicit RangeWorker(const Circle<T>& circle) : circle_(circle) {}

  template <typename Sink>
  void Run(const Range<Mass>& range, Sink& sink) {
    circle_.EndsAt(range.begin, ends_);
    std::int64_t left = range.end_rank - range.first_rank;
    Mass at = range.begin;
    while (left > 0) {
      const Mass values = range.end - at;
      if (values / kValuesOfPiece <= static_cast<std::uint64_t>(left)) {
        const Mass end = at + std::min<Mass>(values, kCountedValues);
        // A counter may have to hold half of the spectrum.
        left -= circle_.n() < kNarrowCounters
                    ? Count(at, end, narrow_counts_, sink)
                    : Count(at, end, wide_counts_, sink);
        at = end;
        continue;
      }
      // As wide as it takes if they are spread evenly.
      const std::int64_t wanted = std::max(kSortedPieces, 2 * circle_.n());
      Mass width = values;
      if (left > wanted) {
        width = static_cast<Mass>(static_cast<double>(values) *
                                  static_cast<double>(wanted) /
                                  static_cast<double>(left));
        width = std::min(values, std::max<Mass>(width, 1));
      }
      left -= Sort(at, at + width, sink);
      at += width;
    }
  }

 private:
  static constexpr std::int64_t kNarrowCounters = std::int64_t{1} << 16;

  template <typename Counter, typename Sink>
  std::int64_t Count(Mass begin, Mass end, std::vector<Counter>& counters,
                     Sink& sink) {
    counters.assign(kCountedValues, 0);
    Counter* const counts = counters.data();
    std::int64_t pieces = 0;
    if (begin == 0) {
      ++counts[0];
      ++pieces;
    }
    const Mass values = end - begin;
    const Mass* const sums = circle_.sums();
    for (std::int64_t first = 0; first < circle_.n(); ++first) {
      const Mass base = sums[first] + begin;
      std::int64_t last = ends_[first];
      pieces -= last;
      for (Mass value; (value = sums[last] - base) < values; ++last) {
        ++counts[value];
      }
      pieces += last;
      ends_[first] = last;
    }
    sink.AddRuns(begin, counts, values);
    return pieces;
  }

  template <typename Sink>
  std::int64_t Sort(Mass begin, Mass end, Sink& sink) {
    std::int64_t pieces = 0;
    const auto add = [&](Mass value) {
      if (pieces == static_cast<std::int64_t>(gathered_.size())) {
        gathered_.resize(2 * gathered_.size() + kSortedPieces);
      }
      gathered_[pieces++] = value;
    };
    if (begin == 0) add(0);
    const Mass values = end - begin;
    const Mass* const sums = circle_.sums();
    for (std::int64_t first = 0; first < circle_.n(); ++first) {
      const Mass base = sums[first] + begin;
      std::int64_t last = ends_[first];
      for (Mass value; (value = sums[last] - base) < values; ++last) add(value);
      ends_[first] = last;
    }
    spare_.resize(gathered_.size());
    int bits = 1;
    while (bits < 8 * static_cast<int>(sizeof(Mass)) && values >> bits != 0) {
      ++bits;
    }
    const Mass* const sorted = radix_sort::SortInCache<Mass>(
        gathered_.data(), spare_.data(), gathered_.data(), pieces, /*from=*/0,
        bits);
    sink.AddEach(begin, sorted, pieces);
    return pieces;
  }

  const Circle<T>& circle_;
  // By start: the end of the next piece that has not been taken.
  std::vector<std::int64_t> ends_;
  std::vector<std::uint32_t> narrow_counts_;
  std::vector<std::uint64_t> wide_counts_;
  std::vector<Mass> gathered_;
  std::vector<Mass> spare_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WORKER_H_
