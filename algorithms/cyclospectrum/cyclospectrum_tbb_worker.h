// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WORKER_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WORKER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/cyclospectrum/cyclospectrum_tbb_circle.h"
#include "algorithms/cyclospectrum/cyclospectrum_tbb_windows.h"
#include "algorithms/radix_sort/radix_sort_tbb_local.h"

namespace concord {

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

  // `marked` are the circle's sums, where they are marked.
  RangeWorker(const Circle<T>& circle, const std::optional<MarkedSums>& marked)
      : circle_(circle), marked_(marked) {}

  template <typename Sink>
  void Run(const Range<Mass>& range, Sink& sink) {
    if (marked_.has_value()) return CountMarked(range, sink);
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

  template <typename Sink>
  void CountMarked(const Range<Mass>& range, Sink& sink) {
    constexpr Mass kValues = MarkedSums::kValues;
    narrow_counts_.resize(kValues);
    for (Mass at = range.begin; at < range.end;) {
      const Mass first = at / 8 * 8;
      const Mass end = std::min<Mass>(range.end, first + kValues);
      marked_->Count(first, narrow_counts_.data());
      // The piece of no masses is the same for all starts.
      if (at == 0) narrow_counts_[0] = 1;
      for (; at < end; ++at) {
        const std::uint32_t count = narrow_counts_[at - first];
        if (count != 0) sink.Add(at, count);
      }
    }
  }

  template <typename Counter, typename Sink>
  std::int64_t Count(Mass begin, Mass end, std::vector<Counter>& counters,
                     Sink& sink) {
    counters.resize(kCountedValues);
    Counter* const counts = counters.data();
    if (begin == 0) ++counts[0];
    const Mass values = end - begin;
    const Mass* const sums = circle_.sums();
    for (std::int64_t first = 0; first < circle_.n(); ++first) {
      const Mass base = sums[first] + begin;
      std::int64_t last = ends_[first];
      for (Mass value; (value = sums[last] - base) < values; ++last) {
        ++counts[value];
      }
      ends_[first] = last;
    }
    std::int64_t pieces = 0;
    for (Mass value = 0; value < values; ++value) {
      const auto count = static_cast<std::int64_t>(counts[value]);
      if (count == 0) continue;
      counts[value] = 0;
      sink.Add(begin + value, count);
      pieces += count;
    }
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
    const Mass* const sorted =
        SortInCache<Mass>(gathered_.data(), spare_.data(), gathered_.data(),
                          pieces, /*from=*/0, bits);
    for (std::int64_t i = 0; i < pieces; ++i) sink.Add(begin + sorted[i]);
    return pieces;
  }

  const Circle<T>& circle_;
  const std::optional<MarkedSums>& marked_;
  // By start: the end of the next piece that has not been taken.
  std::vector<std::int64_t> ends_;
  std::vector<std::uint32_t> narrow_counts_;
  std::vector<std::uint64_t> wide_counts_;
  std::vector<Mass> gathered_;
  std::vector<Mass> spare_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WORKER_H_
