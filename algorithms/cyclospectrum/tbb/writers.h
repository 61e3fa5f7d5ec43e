// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WRITERS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WRITERS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "concord/backends/tbb/streaming.h"

namespace concord::cyclospectrum {

// How many elements ExpandRuns may write for nothing.
inline constexpr std::int64_t kRunSlack = 64;

// Writes first, first + 1, ... so many times each, from to[used] on, and
// advances `used`. Stops before the first run that would not end within `room`,
// and returns how many there were before it. Behind the last, kRunSlack
// elements may be written too.
template <typename T>
std::int64_t ExpandRuns(T first, const std::uint32_t* counts, std::int64_t n,
                        T* to, std::int64_t room, std::int64_t& used);

// What is written of a spectrum, of which one half mirrors the other.
enum class Halves { kLower, kUpper, kBoth };

// Writes ascending values one behind the other, and what mirrors them one
// before the other: total - v for each v. They are collected in the first-level
// cache, and whole cache lines go out: a line that is written in parts has to
// be read, and the stores behind it wait for that.
template <typename T>
class MirrorWriter {
 public:
  // Of the `size` elements at `spectrum`, the first value is at `first_rank`,
  // what mirrors it as far from the end. With `stream`, past the caches.
  MirrorWriter(T* spectrum, std::int64_t size, std::int64_t first_rank, T total,
               bool stream, Halves halves = Halves::kBoth)
      : spectrum_(spectrum),
        size_(size),
        total_(total),
        stream_(stream),
        halves_(halves) {
    const auto past_line = static_cast<std::int64_t>(
        reinterpret_cast<std::uintptr_t>(spectrum + first_rank) % 64);
    begin_ = first_rank - past_line / kSize;
    used_ = up_ = down_ = past_line / kSize;
  }
  MirrorWriter(const MirrorWriter&) = delete;
  MirrorWriter& operator=(const MirrorWriter&) = delete;
  ~MirrorWriter() { Flush(/*all=*/true); }

  // `count` equal values.
  void Write(T value, std::int64_t count) {
    while (count > 0) {
      if (used_ == kElements) Flush(/*all=*/false);
      const std::int64_t now = std::min(count, kElements - used_);
      std::fill_n(buffer_ + used_, now, value);
      used_ += now;
      count -= now;
    }
  }

  // counts[i] times first + i, for 0 <= i < n.
  void WriteRuns(T first, const std::uint32_t* counts, std::int64_t n) {
    std::int64_t i = 0;
    while (i < n) {
      i += ExpandRuns(static_cast<T>(first + i), counts + i, n - i, buffer_,
                      kElements, used_);
      if (i == n) break;
      Flush(/*all=*/false);
      if (counts[i] > kElements - used_) {
        Write(static_cast<T>(first + i), counts[i]);
        ++i;
      }
    }
  }

  // first + offsets[i], for 0 <= i < n.
  template <typename Offset>
  void WriteEach(T first, const Offset* offsets, std::int64_t n) {
    while (n > 0) {
      if (used_ == kElements) Flush(/*all=*/false);
      const std::int64_t now = std::min(n, kElements - used_);
      T* const to = buffer_ + used_;
      for (std::int64_t i = 0; i < now; ++i) {
        to[i] = static_cast<T>(static_cast<Offset>(first) + offsets[i]);
      }
      used_ += now;
      offsets += now;
      n -= now;
    }
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T);
  static constexpr std::int64_t kLine = 64 / kSize;
  static constexpr std::int64_t kElements = (std::int64_t{8} << 10) / kSize;

  // Where element i of the buffer belongs, and where what mirrors it does.
  T* Up(std::int64_t i) const { return spectrum_ + (begin_ + i); }
  T* Down(std::int64_t i) const { return spectrum_ + (size_ - 1 - begin_ - i); }

  // Writes the lines that are complete, or all that there is, and keeps the
  // rest.
  void Flush(bool all) {
    FlushUp(all);
    FlushDown(all);
    // Whole lines: the buffer's lines are those of the spectrum.
    const std::int64_t done = std::min(up_, down_) / kLine * kLine;
    std::memmove(buffer_, buffer_ + done,
                 static_cast<std::size_t>((used_ - done) * kSize));
    begin_ += done;
    used_ -= done;
    up_ -= done;
    down_ -= done;
  }

  void FlushUp(bool all) {
    if (halves_ == Halves::kUpper) {
      up_ = used_;
      return;
    }
    if (stream_) {
      const std::int64_t line =
          std::min(used_, (up_ + kLine - 1) / kLine * kLine);
      std::copy(buffer_ + up_, buffer_ + line, Up(up_));
      for (up_ = line; up_ + kLine <= used_; up_ += kLine) {
        StreamLine(Up(up_), buffer_ + up_);
      }
    }
    if (all || !stream_) {
      std::copy(buffer_ + up_, buffer_ + used_, Up(up_));
      up_ = used_;
    }
  }

  void FlushDown(bool all) {
    if (halves_ == Halves::kLower) {
      down_ = used_;
      return;
    }
    if (stream_) {
      const auto past_line = static_cast<std::int64_t>(
          reinterpret_cast<std::uintptr_t>(Down(down_ - 1)) % 64);
      MirrorTo(std::min(used_, down_ + past_line / kSize));
      for (; down_ + kLine <= used_; down_ += kLine) {
        alignas(64) T line[kLine];
        const T* const last = buffer_ + down_ + kLine - 1;
        for (int k = 0; k < kLine; ++k) line[k] = total_ - last[-k];
        StreamLine(Down(down_ + kLine - 1), line);
      }
    }
    if (all || !stream_) MirrorTo(used_);
  }

  void MirrorTo(std::int64_t end) {
    const T total = total_;
    const T* const from = buffer_ + down_;
    T* const to = Down(down_);
    for (std::int64_t i = 0; i < end - down_; ++i) to[-i] = total - from[i];
    down_ = end;
  }

  T* const spectrum_;
  const std::int64_t size_;
  const T total_;
  const bool stream_;
  const Halves halves_;
  // Element i of the buffer belongs to begin_ + i.
  std::int64_t begin_;
  std::int64_t used_;
  // What has gone out already.
  std::int64_t up_;
  std::int64_t down_;
  alignas(64) T buffer_[kElements + kRunSlack];
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_TBB_WRITERS_H_
