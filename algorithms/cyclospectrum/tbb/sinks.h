// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_SINKS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_SINKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/cyclospectrum/tbb/circle.h"
#include "concord/algorithms/cyclospectrum/tbb/writers.h"

namespace concord::cyclospectrum {

// Takes the values of a range in ascending order to their places in the
// spectrum, and the values that mirror them to theirs. (Half of the total
// mirrors itself, and its places are their own mirror image: it is written
// twice.)
template <typename T>
class SpectrumSink {
 public:
  using Mass = typename Circle<T>::Mass;

  SpectrumSink(const Circle<T>& circle, T* spectrum, std::int64_t first_rank,
               bool stream, Halves halves = Halves::kBoth)
      : writer_(spectrum, circle.size(), first_rank,
                static_cast<T>(circle.total()), stream, halves) {}

  // counts[i] times first + i, for 0 <= i < n.
  template <typename Counter>
  void AddRuns(Mass first, const Counter* counts, Mass n) {
    if constexpr (std::is_same_v<Counter, std::uint32_t>) {
      writer_.WriteRuns(static_cast<T>(first), counts,
                        static_cast<std::int64_t>(n));
    } else {
      for (Mass i = 0; i < n; ++i) {
        writer_.Write(static_cast<T>(first + i),
                      static_cast<std::int64_t>(counts[i]));
      }
    }
  }

  // first + offsets[i], which rise, for 0 <= i < n.
  void AddEach(Mass first, const Mass* offsets, std::int64_t n) {
    writer_.WriteEach(static_cast<T>(first), offsets, n);
  }

 private:
  MirrorWriter<T> writer_;
};

// Takes of the values of a range those that belong to the places from `first`
// to before `last` to their places.
template <typename T>
class PlacesSink {
 public:
  using Mass = typename Circle<T>::Mass;

  // The values begin at the place `rank`. `sink` begins at `first`.
  PlacesSink(SpectrumSink<T>& sink, std::int64_t rank, std::int64_t first,
             std::int64_t last)
      : sink_(sink), rank_(rank), first_(first), last_(last) {}

  template <typename Counter>
  void AddRuns(Mass first, const Counter* counts, Mass n) {
    const std::int64_t end = std::accumulate(counts, counts + n, rank_);
    if (first_ <= rank_ && end <= last_) {
      sink_.AddRuns(first, counts, n);
      rank_ = end;
      return;
    }
    std::vector<Counter> wanted(static_cast<std::size_t>(n));
    for (Mass i = 0; i < n; ++i) {
      const std::int64_t from = Clamped(rank_);
      rank_ += static_cast<std::int64_t>(counts[i]);
      wanted[i] = static_cast<Counter>(Clamped(rank_) - from);
    }
    sink_.AddRuns(first, wanted.data(), n);
  }

  void AddEach(Mass first, const Mass* offsets, std::int64_t n) {
    const std::int64_t from = Clamped(rank_) - rank_;
    const std::int64_t end = Clamped(rank_ + n) - rank_;
    rank_ += n;
    if (from < end) sink_.AddEach(first, offsets + from, end - from);
  }

 private:
  std::int64_t Clamped(std::int64_t rank) const {
    return std::clamp(rank, first_, last_);
  }

  SpectrumSink<T>& sink_;
  std::int64_t rank_;
  const std::int64_t first_;
  const std::int64_t last_;
};

// The values of a range and their counts.
template <typename T>
class HistogramSink {
 public:
  using Mass = typename Circle<T>::Mass;
  using Entries = std::vector<std::pair<Mass, std::int64_t>>;

  explicit HistogramSink(Entries& entries) : entries_(entries) {}

  template <typename Counter>
  void AddRuns(Mass first, const Counter* counts, Mass n) {
    if (entries_.empty()) entries_.reserve(static_cast<std::size_t>(n));
    for (Mass i = 0; i < n; ++i) {
      const auto count = static_cast<std::int64_t>(counts[i]);
      if (count != 0) entries_.push_back({first + i, count});
    }
  }

  void AddEach(Mass first, const Mass* offsets, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0 && offsets[i] == offsets[i - 1]) {
        ++entries_.back().second;
      } else {
        entries_.push_back({first + offsets[i], 1});
      }
    }
  }

 private:
  Entries& entries_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_SINKS_H_
