// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/sequence_reader.h"

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"

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

// The lines of a file that may be compressed.
class LineReader {
 public:
  static absl::StatusOr<LineReader> Open(const std::string& path) {
    // htslib would print its own version of what we return.
    hts_set_log_level(HTS_LOG_OFF);
    const std::string name = path == "-" ? "standard input" : path;
    const int descriptor = path == "-"
                               ? dup(STDIN_FILENO)
                               : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
      const std::string message =
          absl::StrCat(name, ": ", std::strerror(errno));
      return errno == ENOENT ? absl::NotFoundError(message)
                             : absl::InvalidArgumentError(message);
    }
    BGZF* file = bgzf_dopen(descriptor, "r");
    if (file == nullptr) {
      const std::string reason = std::strerror(errno);
      close(descriptor);
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": cannot be read: ", reason));
    }
    LineReader reader(name, file);
    // 0: there is no marker where one should be; other answers are fine or
    // cannot know.
    if (bgzf_compression(file) == kBgzf && bgzf_check_EOF(file) == 0) {
      return reader.Error(
          "the compressed file is cut short: it has no end "
          "marker");
    }
    return reader;
  }

  // False at the end.
  absl::StatusOr<bool> Next() {
    const int length = bgzf_getline(file_.get(), '\n', text_.get());
    if (length == -1) return false;
    ++line_;
    if (length < -1) {
      return Error(bgzf_compression(file_.get()) == 0
                       ? "cannot be read"
                       : "the compressed file is cut short or damaged");
    }
    return true;
  }

  // The current line without its end.
  absl::string_view line() const {
    absl::string_view line(text_->s, text_->l);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        line_ == 0 ? absl::StrCat(name_, ": ", what)
                   : absl::StrCat(name_, ", line ", line_, ": ", what));
  }
  absl::Status FileError(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
  }

 private:
  // What bgzf_compression says; htslib has no names for its answers.
  static constexpr int kBgzf = 2;

  struct Close {
    void operator()(BGZF* file) const { bgzf_close(file); }
  };
  struct Free {
    void operator()(kstring_t* text) const {
      ks_free(text);
      delete text;
    }
  };

  LineReader(std::string name, BGZF* file)
      : name_(std::move(name)),
        file_(file),
        text_(new kstring_t{0, 0, nullptr}) {}

  std::string name_;
  std::unique_ptr<BGZF, Close> file_;
  std::unique_ptr<kstring_t, Free> text_;
  std::int64_t line_ = 0;
};

class SequenceParser {
 public:
  SequenceParser(LineReader reader, absl::string_view alphabet)
      : reader_(std::move(reader)), meanings_(MeaningsOf(alphabet)) {}

  absl::StatusOr<Sequences> Parse() {
    // Blank lines before the first record mean nothing.
    do {
      absl::Status status = Advance();
      if (!status.ok()) return status;
    } while (!at_end_ && IsBlank());
    if (at_end_) return reader_.FileError("is empty");

    const char first = reader_.line()[0];
    if (first != '>' && first != '@') {
      return reader_.Error(
          absl::StrCat("neither FASTA nor FASTQ: ", DescribeByte(first),
                       " where '>' or '@' would begin the first sequence"));
    }
    while (!at_end_) {
      absl::Status status = first == '>' ? ParseFasta() : ParseFastq();
      if (!status.ok()) return status;
    }
    return std::move(sequences_);
  }

 private:
  absl::Status Advance() {
    absl::StatusOr<bool> more = reader_.Next();
    if (!more.ok()) return more.status();
    at_end_ = !*more;
    return absl::OkStatus();
  }

  bool IsBlank() const {
    return absl::StripAsciiWhitespace(reader_.line()).empty();
  }
  bool BeginsWith(char c) const {
    return !at_end_ && !reader_.line().empty() && reader_.line()[0] == c;
  }

  // Adds the letters of the line; `length` counts them with those outside the
  // alphabet.
  absl::Status TakeLine(std::int64_t& length) {
    for (const char c : reader_.line()) {
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
    absl::Status status = Advance();
    std::int64_t length = 0;
    while (status.ok() && !at_end_ && !BeginsWith('>')) {
      status = TakeLine(length);
    }
    EndSequence();
    return status;
  }

  // @name, lines of letters, a line that begins with '+', and lines with as
  // many quality values as there are letters.
  absl::Status ParseFastq() {
    if (!BeginsWith('@')) {
      return reader_.Error(absl::StrCat(DescribeByte(reader_.line()[0]),
                                        " where '@' would begin a sequence"));
    }
    absl::Status status = Advance();
    std::int64_t length = 0;
    while (status.ok() && !at_end_ && !BeginsWith('+')) {
      status = TakeLine(length);
    }
    EndSequence();
    if (!status.ok()) return status;
    if (at_end_) return CutShort("a line with '+'");

    status = Advance();
    std::int64_t qualities = 0;
    // A sequence without letters still has a line of qualities, an empty one.
    bool any = false;
    while (status.ok() && !at_end_ && (qualities < length || !any)) {
      any = true;
      qualities += static_cast<std::int64_t>(reader_.line().size());
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
  absl::Status status = CheckAlphabet(alphabet);
  if (!status.ok()) return status;
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  return SequenceParser(*std::move(reader), alphabet).Parse();
}

}  // namespace concord
