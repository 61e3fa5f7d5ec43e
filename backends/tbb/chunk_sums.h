// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_CHUNK_SUMS_H_
#define CONCORD_BACKENDS_TBB_CHUNK_SUMS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "concord/backends/tbb/backoff.h"

namespace concord {

// Hands running sums of counts from chunk to chunk of an array, within one pass
// of many threads over it: decoupled look-back (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", NVIDIA technical
// report NVR-2016-002).
//
// Chunks are taken in order, so whoever waits for a chunk waits for a thread
// that is at work on it, however many threads there really are.
//
// Example, for each thread:
//   for (std::int64_t c = sums.Take(); c < chunks; c = sums.Take()) {
//     const std::int64_t count = Count(c);
//     const std::int64_t before = sums.Publish(c, count);
//     Write(c, before);
//   }
class ChunkSums {
 public:
  // Sums of `most` or more are told as `most`; no count is more than that.
  explicit ChunkSums(std::int64_t chunks,
                     std::int64_t most = std::int64_t{1} << 48)
      : states_(new (std::nothrow) State[chunks]), most_(most) {}

  // False where there was no memory for it.
  bool ok() const { return states_ != nullptr; }

  // The next chunk that nobody has taken.
  std::int64_t Take() { return next_.fetch_add(1); }

  // Publishes the count of a chunk that was taken, and returns the sum of the
  // counts of all chunks before it. Waits for those to be published.
  std::int64_t Publish(std::int64_t chunk, std::int64_t count) {
    State& state = states_[chunk];
    state.Set(kCount, count);
    std::int64_t before = 0;
    for (std::int64_t c = chunk - 1; c >= 0; --c) {
      const std::uint64_t known = states_[c].Wait();
      before += static_cast<std::int64_t>(known >> 2);
      if ((known & 3) == kPrefix) break;
    }
    before = std::min(before, most_);
    state.Set(kPrefix, std::min(before + count, most_));
    return before;
  }

 private:
  enum Known : std::uint64_t { kNothing, kCount, kPrefix };

  // A count and what it is, in one word; on a cache line of its own.
  struct alignas(64) State {
    std::atomic<std::uint64_t> word{kNothing};

    void Set(Known known, std::int64_t value) {
      word.store(static_cast<std::uint64_t>(value) << 2 | known,
                 std::memory_order_release);
    }

    std::uint64_t Wait() const {
      for (Backoff backoff;; backoff.Wait()) {
        const std::uint64_t known = word.load(std::memory_order_acquire);
        if (known != kNothing) return known;
      }
    }
  };

  const std::unique_ptr<State[]> states_;
  const std::int64_t most_;
  std::atomic<std::int64_t> next_{0};
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_CHUNK_SUMS_H_
