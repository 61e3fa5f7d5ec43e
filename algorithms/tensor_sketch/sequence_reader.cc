// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/sequence_reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"
#include "concord/algorithms/tensor_sketch/line_reader.h"
#include "concord/algorithms/tensor_sketch/sequence_file.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"

namespace concord::tensor_sketch {
namespace {

// Blanks at the end of a line are none, as behind letters.
std::int64_t CountQualities(absl::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return c > ' '; });
}

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
    const std::optional<char> foreign =
        ForLetters(reader_.text(), meanings_, [&](int meaning) {
          ++length;
          if (meaning == kOutside) {
            ++sequences_.skipped;
          } else {
            sequences_.letters.push_back(static_cast<std::uint8_t>(meaning));
          }
        });
    if (foreign.has_value()) {
      return reader_.Error(CannotStandInASequence(*foreign));
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
      qualities += CountQualities(reader_.text());
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
  ASSIGN_OR_RETURN(std::unique_ptr<SequenceFile> file, OpenSequenceFile(path));
  try {
    return SequenceParser(LineReader(SourceName(path), std::move(file)),
                          alphabet)
        .Parse();
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError(
        "there is not enough memory for the letters of ", SourceName(path));
  }
}

}  // namespace concord::tensor_sketch
