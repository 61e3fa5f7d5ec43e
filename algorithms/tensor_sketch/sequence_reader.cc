// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/sequence_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"
#include "concord/algorithms/tensor_sketch/sequence_file.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"

namespace concord {
namespace {

// What a byte means in a sequence: a letter's number in the alphabet, or one of
// these.
constexpr int kOutside = 256;  // a letter, but not of the alphabet
constexpr int kSpace = 257;
constexpr int kForeign = 258;  // nothing that a sequence can hold

using Meanings = std::array<int, 256>;

Meanings MeaningsOf(absl::string_view alphabet) {
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

// The lines of a file that may be compressed, a long one in pieces: a line may
// be longer than memory has room for.
class LineReader {
 public:
  static absl::StatusOr<LineReader> Open(const std::string& path) {
    ASSIGN_OR_RETURN(std::unique_ptr<SequenceFile> file,
                     OpenSequenceFile(path));
    return LineReader(SourceName(path), std::move(file));
  }

  // Goes to the next piece; false at the end.
  absl::StatusOr<bool> Next() {
    if (rest_.empty()) {
      RETURN_IF_ERROR(Fill());
    }
    // A line that ends in "\r\n" has ended before the "\n".
    if (after_return_ && absl::ConsumePrefix(&rest_, "\n") && rest_.empty()) {
      RETURN_IF_ERROR(Fill());
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
    if (!rest_.empty()) {
      ends_line_ = true;
      after_return_ = rest_.front() == '\r';
      rest_.remove_prefix(1);
    }
    return true;
  }

  // The current piece without the end of its line, until Next().
  absl::string_view text() const { return text_; }
  // Whether the piece is the first of its line.
  bool starts_line() const { return starts_line_; }

  absl::Status Error(absl::string_view what) const {
    return InvalidArgumentError(name_, ", line ", line_, ": ", what);
  }
  absl::Status FileError(absl::string_view what) const {
    return InvalidArgumentError(name_, ": ", what);
  }

 private:
  LineReader(std::string name, std::unique_ptr<SequenceFile> file)
      : name_(std::move(name)),
        file_(std::move(file)),
        buffer_(new char[SequenceFile::kBufferSize]) {}

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
};

class SequenceParser {
 public:
  SequenceParser(LineReader reader, absl::string_view alphabet)
      : reader_(std::move(reader)), meanings_(MeaningsOf(alphabet)) {}

  absl::StatusOr<Sequences> Parse() {
    // Blank lines before the first record mean nothing.
    do {
      RETURN_IF_ERROR(Advance());
    } while (!at_end_ && IsBlank());
    if (at_end_) return reader_.FileError("is empty");

    const bool is_fasta = BeginsWith('>');
    if (!is_fasta && !BeginsWith('@')) {
      return reader_.Error(absl::StrCat(
          "neither FASTA nor FASTQ: ", DescribeByte(reader_.text()[0]),
          " where '>' or '@' would begin the first sequence"));
    }
    while (!at_end_) {
      RETURN_IF_ERROR(is_fasta ? ParseFasta() : ParseFastq());
    }
    return std::move(sequences_);
  }

 private:
  absl::Status Advance() {
    ASSIGN_OR_RETURN(bool more, reader_.Next());
    at_end_ = !more;
    return absl::OkStatus();
  }

  // To the first piece of the next line.
  absl::Status SkipLine() {
    absl::Status status = Advance();
    while (status.ok() && !at_end_ && !reader_.starts_line()) {
      status = Advance();
    }
    return status;
  }

  bool IsBlank() const {
    return absl::StripAsciiWhitespace(reader_.text()).empty();
  }
  // Whether a line begins here, and with `c`.
  bool BeginsWith(char c) const {
    return !at_end_ && reader_.starts_line() &&
           absl::StartsWith(reader_.text(), absl::string_view(&c, 1));
  }

  // Adds the letters of the piece; `length` counts them with those outside the
  // alphabet.
  absl::Status TakePiece(std::int64_t& length) {
    for (const char c : reader_.text()) {
      const int meaning = meanings_[static_cast<unsigned char>(c)];
      if (meaning == kForeign) {
        return reader_.Error(
            absl::StrCat(DescribeByte(c), " cannot stand in a sequence"));
      }
      if (meaning == kSpace) continue;
      ++length;
      if (meaning == kOutside) {
        ++sequences_.skipped;
      } else {
        sequences_.letters.push_back(static_cast<std::uint8_t>(meaning));
      }
    }
    return Advance();
  }

  void EndSequence() {
    sequences_.offsets.push_back(
        static_cast<std::int64_t>(sequences_.letters.size()));
  }

  // >name, then lines of letters up to the next '>'.
  absl::Status ParseFasta() {
    absl::Status status = SkipLine();
    std::int64_t length = 0;
    while (status.ok() && !at_end_ && !BeginsWith('>')) {
      status = TakePiece(length);
    }
    EndSequence();
    return status;
  }

  // @name, lines of letters, a line that begins with '+', and lines with as
  // many quality values as there are letters.
  absl::Status ParseFastq() {
    if (!BeginsWith('@')) {
      return reader_.Error(absl::StrCat(DescribeByte(reader_.text()[0]),
                                        " where '@' would begin a sequence"));
    }
    absl::Status status = SkipLine();
    std::int64_t length = 0;
    while (status.ok() && !at_end_ && !BeginsWith('+')) {
      status = TakePiece(length);
    }
    EndSequence();
    if (!status.ok()) return status;
    if (at_end_) return CutShort("a line with '+'");

    status = SkipLine();
    std::int64_t qualities = 0;
    // A sequence without letters still has a line of qualities, an empty one.
    bool any = false;
    while (status.ok() && !at_end_ &&
           (qualities < length || !any || !reader_.starts_line())) {
      any = true;
      qualities += static_cast<std::int64_t>(reader_.text().size());
      if (qualities > length) {
        return reader_.Error(absl::StrCat("more quality values than the ",
                                          length, " letters of the sequence"));
      }
      status = Advance();
    }
    if (!status.ok()) return status;
    if (qualities < length) {
      return CutShort(absl::StrCat(
          length, " quality values, of which there are ", qualities));
    }
    while (status.ok() && !at_end_ && IsBlank()) status = Advance();
    return status;
  }

  absl::Status CutShort(absl::string_view wanted) const {
    return reader_.Error(
        absl::StrCat("the file ends where the last sequence needs ", wanted));
  }

  LineReader reader_;
  Meanings meanings_;
  Sequences sequences_;
  bool at_end_ = false;
};

}  // namespace

absl::StatusOr<Sequences> ReadSequences(const std::string& path,
                                        absl::string_view alphabet) {
  RETURN_IF_ERROR(CheckAlphabet(alphabet));
  ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  try {
    return SequenceParser(std::move(reader), alphabet).Parse();
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError(
        "there is not enough memory for the letters of ", SourceName(path));
  }
}

}  // namespace concord
