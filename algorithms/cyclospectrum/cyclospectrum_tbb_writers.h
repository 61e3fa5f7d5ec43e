// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WRITERS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WRITERS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/tbb/streaming.h"

namespace concord {

// Writes values one behind the other through a buffer in the first-level cache,
// upwards from a place or downwards to it.
template <typename T, bool kDownwards>
class RunWriter {
 public:
  // Upwards, `place` is where the first value goes; downwards, what lies behind
  // it. With `stream`, past the caches.
  RunWriter(T* place, bool stream) : place_(place), stream_(stream) {}
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;
  ~RunWriter() { Flush(); }

  // `count` equal values.
  void Write(T value, std::int64_t count) {
    while (count > 0) {
      if (used_ == kElements) Flush();
      const std::int64_t now = std::min(count, kElements - used_);
      // Whole groups: what is too much is overwritten later, or never read.
      if constexpr (kDownwards) {
        T* end = buffer_ + kGroup + kElements - used_;
        for (std::int64_t i = 0; i < now; i += kGroup) {
          end -= kGroup;
          for (int k = 0; k < kGroup; ++k) end[k] = value;
        }
      } else {
        T* begin = buffer_ + kGroup + used_;
        for (std::int64_t i = 0; i < now; i += kGroup, begin += kGroup) {
          for (int k = 0; k < kGroup; ++k) begin[k] = value;
        }
      }
      used_ += now;
      count -= now;
    }
  }

  void Write(T value) {
    if (used_ == kElements) Flush();
    buffer_[kGroup + (kDownwards ? kElements - 1 - used_ : used_)] = value;
    ++used_;
  }

 private:
  static constexpr std::int64_t kElements = (std::int64_t{8} << 10) / sizeof(T);
  // So large that most runs are one group, and the loop over groups is seldom
  // predicted wrongly: that costs more than to write too much.
  static constexpr int kGroup = 256 / sizeof(T);

  void Flush() {
    const T* const from =
        buffer_ + kGroup + (kDownwards ? kElements - used_ : 0);
    if (kDownwards) place_ -= used_;
    const std::int64_t bytes = used_ * static_cast<std::int64_t>(sizeof(T));
    if (stream_) {
      StreamTo(place_, from, bytes);
    } else {
      std::memcpy(place_, from, static_cast<std::size_t>(bytes));
    }
    if (!kDownwards) place_ += used_;
    used_ = 0;
  }

  T* place_;
  const bool stream_;
  std::int64_t used_ = 0;
  // A group on each side may be written to for nothing.
  alignas(64) T buffer_[kElements + 2 * kGroup];
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_TBB_WRITERS_H_
