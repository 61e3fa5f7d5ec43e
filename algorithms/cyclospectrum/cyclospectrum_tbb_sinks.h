// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_SINKS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_SINKS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/cyclospectrum/cyclospectrum_tbb_circle.h"
#include "algorithms/cyclospectrum/cyclospectrum_tbb_writers.h"

namespace concord {

// Takes the values of a range in ascending order to their places in the
// spectrum, and the values that mirror them to theirs.
template <typename T>
class SpectrumSink {
 public:
  using Mass = typename Circle<T>::Mass;

  SpectrumSink(const Circle<T>& circle, T* spectrum, std::int64_t first_rank,
               bool stream)
      : total_(circle.total()),
        up_(spectrum + first_rank, stream),
        down_(spectrum + circle.size() - first_rank, stream) {}

  void Add(Mass value, std::int64_t count) {
    up_.Write(static_cast<T>(value), count);
    const Mass mirrored = total_ - value;
    // Half of the total mirrors itself.
    if (mirrored != value) down_.Write(static_cast<T>(mirrored), count);
  }
  void Add(Mass value) {
    up_.Write(static_cast<T>(value));
    const Mass mirrored = total_ - value;
    if (mirrored != value) down_.Write(static_cast<T>(mirrored));
  }

 private:
  Mass total_;
  RunWriter<T, /*kDownwards=*/false> up_;
  RunWriter<T, /*kDownwards=*/true> down_;
};

// The values of a range and their counts.
template <typename T>
class HistogramSink {
 public:
  using Mass = typename Circle<T>::Mass;
  using Entries = std::vector<std::pair<Mass, std::int64_t>>;

  explicit HistogramSink(Entries& entries) : entries_(entries) {}

  void Add(Mass value, std::int64_t count = 1) {
    if (!entries_.empty() && entries_.back().first == value) {
      entries_.back().second += count;
    } else {
      entries_.push_back({value, count});
    }
  }

 private:
  Entries& entries_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_SINKS_H_
