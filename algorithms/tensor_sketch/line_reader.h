// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What readers of sequences are made of.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_LINE_READER_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_LINE_READER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"
#include "concord/algorithms/tensor_sketch/sequence_file.h"
#include "concord/core/errors.h"

namespace concord::tensor_sketch {

// What a byte means in a sequence: a letter's number in the alphabet, or one of
// these.
inline constexpr int kOutside = 256;  // a letter, but not of the alphabet
inline constexpr int kSpace = 257;
inline constexpr int kForeign = 258;  // nothing that a sequence can hold

using Meanings = std::array<int, 256>;

inline Meanings MeaningsOf(absl::string_view alphabet) {
  Meanings meanings;
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<unsigned char>(byte);
    // Besides letters: gap, stop and unknown, as alignments write them.
    meanings[byte] = absl::ascii_isalpha(c) || std::strchr("-*.", c) != nullptr
                         ? kOutside
                     : absl::ascii_isspace(c) ? kSpace
                                              : kForeign;
  }
  meanings[0] = kForeign;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    const auto c = static_cast<unsigned char>(alphabet[i]);
    meanings[static_cast<unsigned char>(absl::ascii_toupper(c))] = i;
    meanings[static_cast<unsigned char>(absl::ascii_tolower(c))] = i;
  }
  return meanings;
}

// Calls f(meaning) for each letter of a piece of a sequence, which is less than
// kSpace. Returns the first byte that cannot stand there.
template <typename F>
std::optional<char> ForLetters(absl::string_view piece,
                               const Meanings& meanings, const F& f) {
  for (const char c : piece) {
    const int meaning = meanings[static_cast<unsigned char>(c)];
    if (meaning < kSpace) {
      f(meaning);
    } else if (meaning == kForeign) {
      return c;
    }
  }
  return std::nullopt;
}

inline std::string CannotStandInASequence(char c) {
  return absl::StrCat(DescribeByte(c), " cannot stand in a sequence");
}

// The lines of a file that may be compressed, a long one in pieces: a line may
// be longer than memory has room for.
class LineReader {
 public:
  // `name` is that of the file, for messages.
  LineReader(std::string name, std::unique_ptr<SequenceFile> file)
      : name_(std::move(name)),
        file_(std::move(file)),
        buffer_(new char[SequenceFile::kBufferSize]) {}

  // Goes to the next piece; false at the end.
  absl::StatusOr<bool> Next() {
    if (rest_.empty()) {
      RETURN_IF_ERROR(Fill());
    }
    // A line that ends in "\r\n" has ended before the "\n".
    if (after_return_ && absl::ConsumePrefix(&rest_, "\n")) {
      ++next_position_;
      if (rest_.empty()) RETURN_IF_ERROR(Fill());
    }
    after_return_ = false;
    if (rest_.empty()) return false;

    starts_line_ = std::exchange(ends_line_, false);
    line_ += starts_line_;
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
      return c == '\n' || c == '\r';
    });
    text_ = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(text_.size());
    position_ = next_position_;
    next_position_ += static_cast<std::int64_t>(text_.size());
    if (!rest_.empty()) {
      ends_line_ = true;
      after_return_ = rest_.front() == '\r';
      rest_.remove_prefix(1);
      ++next_position_;
    }
    return true;
  }

  // The current piece without the end of its line, until Next().
  absl::string_view text() const { return text_; }
  // Whether the piece is the first of its line.
  bool starts_line() const { return starts_line_; }
  // Its line, from 1 on, and how many bytes come before the piece.
  std::int64_t line() const { return line_; }
  std::int64_t position() const { return position_; }

  absl::Status Error(absl::string_view what) const {
    return InvalidArgumentError(name_, ", line ", line_, ": ", what);
  }
  absl::Status FileError(absl::string_view what) const {
    return InvalidArgumentError(name_, ": ", what);
  }

 private:
  absl::Status Fill() {
    ASSIGN_OR_RETURN(const std::size_t count, file_->Read(buffer_.get()));
    rest_ = {buffer_.get(), count};
    return absl::OkStatus();
  }

  std::string name_;
  std::unique_ptr<SequenceFile> file_;
  std::unique_ptr<char[]> buffer_;
  // What has been read, but not yet been part of a piece.
  absl::string_view rest_;
  absl::string_view text_;
  bool starts_line_ = false;
  bool ends_line_ = true;
  bool after_return_ = false;
  std::int64_t line_ = 0;
  std::int64_t position_ = 0;
  std::int64_t next_position_ = 0;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_LINE_READER_H_
