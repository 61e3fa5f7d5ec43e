// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_WRITER_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_WRITER_H_

#include <cstdint>
#include <cstring>

#include "concord/backends/tbb/streaming.h"

namespace concord::look_and_say {

// Puts pieces of digits one behind the other, of any length and alignment.

#if defined(__x86_64__)

// With streaming stores, which want whole cache lines: where two pieces share a
// line, it is put together in a buffer first. All other lines go straight from
// the piece to memory.
class StreamedWriter {
 public:
  static constexpr std::int64_t kLine = 64;
  // So many bytes behind a piece may be read.
  static constexpr std::int64_t kPadding = kLine;

  explicit StreamedWriter(std::uint8_t* to) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine);
    line_ = to - past;
    filled_ = past;
    kept_ = past;
  }

  void Write(const std::uint8_t* piece, std::int64_t count) {
    // Whole lines are copied, whatever part of them counts: their sizes are
    // known to the compiler, and no branch depends on them.
    std::memcpy(shared_ + filled_, piece, kLine);
    if (filled_ + count < kLine) {
      filled_ += count;
      return;
    }
    const std::uint8_t* const end = piece + count;
    piece += kLine - filled_;
    if (kept_ > 0) {
      FlushShared(kLine);
    } else {
      WriteLine(shared_);
    }
    for (; end - piece >= kLine; piece += kLine) WriteLine(piece);
    std::memcpy(shared_, piece, kLine);
    filled_ = end - piece;
  }

  void Finish() {
    FlushShared(filled_);
    FinishStreaming();
  }

 private:
  void WriteLine(const std::uint8_t* from) {
    StreamLine(line_, from);
    line_ += kLine;
  }

  // What belongs to this writer of a line that it shares with what lies before
  // the place or behind it.
  void FlushShared(std::int64_t end) {
    if (end > kept_) {
      std::memcpy(line_ + kept_, shared_ + kept_,
                  static_cast<std::size_t>(end - kept_));
    }
    kept_ = 0;
    line_ += kLine;
  }

  // The line that is being put together, and how far it is.
  std::uint8_t* line_;
  std::int64_t filled_;
  // Bytes at its start that are not to be written.
  std::int64_t kept_;
  alignas(kLine) std::uint8_t shared_[2 * kLine];
};

#endif

class PlainWriter {
 public:
  explicit PlainWriter(std::uint8_t* to) : to_(to) {}

  void Write(const std::uint8_t* piece, std::int64_t count) {
    std::memcpy(to_, piece, static_cast<std::size_t>(count));
    to_ += count;
  }
  void Finish() {}

 private:
  std::uint8_t* to_;
};

#if !defined(__x86_64__)
class StreamedWriter : public PlainWriter {
 public:
  static constexpr std::int64_t kPadding = 0;
  using PlainWriter::PlainWriter;
};
#endif

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_WRITER_H_
