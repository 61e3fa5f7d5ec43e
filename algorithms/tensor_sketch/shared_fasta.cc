// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/shared_fasta.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "concord/algorithms/tensor_sketch/line_reader.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord::tensor_sketch {
namespace {

// Between two places of which it is known which letter comes next: to find
// another one, as much has to be read.
constexpr std::int64_t kMarkBytes = 256 << 10;

// The bytes [first, last) of a file, which stays open.
class PartOfFile : public SequenceFile {
 public:
  PartOfFile(std::string name, int descriptor, std::int64_t first,
             std::int64_t last)
      : name_(std::move(name)),
        descriptor_(descriptor),
        next_(first),
        last_(last) {}

  absl::StatusOr<std::size_t> Read(char* buffer) override {
    const auto wanted = static_cast<std::size_t>(
        std::min(last_ - next_, static_cast<std::int64_t>(kBufferSize)));
    ssize_t count;
    do {
      count = pread(descriptor_, buffer, wanted, next_);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      return InvalidArgumentError("cannot read ", name_, ": ",
                                  std::strerror(errno));
    }
    next_ += count;
    return static_cast<std::size_t>(count);
  }

 private:
  const std::string name_;
  const int descriptor_;
  std::int64_t next_;
  const std::int64_t last_;
};

LineReader LinesOf(const std::string& path, int descriptor, std::int64_t first,
                   std::int64_t last) {
  const std::string name = SourceName(path);
  return LineReader(
      name, std::make_unique<PartOfFile>(name, descriptor, first, last));
}

// Where the first line begins that does so at this place or behind it.
absl::StatusOr<std::int64_t> LineFrom(const std::string& path, int descriptor,
                                      std::int64_t place, std::int64_t bytes) {
  if (place == 0) return 0;
  // The line that has the byte before it, or what is left of that, comes first.
  LineReader lines = LinesOf(path, descriptor, place - 1, bytes);
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, lines.Next());
    if (!more) return bytes;
    if (lines.starts_line() && lines.line() == 2) {
      return place - 1 + lines.position();
    }
  }
}

bool IsHeader(absl::string_view line) { return absl::StartsWith(line, ">"); }

}  // namespace

struct SharedFasta::Findings {
  std::int64_t lines = 0;
  std::int64_t letters = 0;
  std::int64_t skipped = 0;
  // In front of which of its letters a sequence begins.
  std::vector<std::int64_t> sequences;
  std::vector<Mark> marks;
  // What is wrong in the last of the lines; "" where nothing is.
  std::string wrong;

  // As replicas send it to each other.
  std::string ToBytes() const {
    std::vector<std::int64_t> words = {
        lines, letters, skipped, static_cast<std::int64_t>(sequences.size()),
        static_cast<std::int64_t>(marks.size())};
    words.insert(words.end(), sequences.begin(), sequences.end());
    for (const Mark& mark : marks) {
      words.insert(words.end(), {mark.byte, mark.letters});
    }
    std::string bytes(words.size() * sizeof(words[0]), '\0');
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes + wrong;
  }

  static Findings FromBytes(absl::string_view bytes) {
    const auto next = [&bytes] {
      std::int64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof(word));
      bytes.remove_prefix(sizeof(word));
      return word;
    };
    Findings findings;
    for (std::int64_t* const word :
         {&findings.lines, &findings.letters, &findings.skipped}) {
      *word = next();
    }
    findings.sequences.resize(static_cast<std::size_t>(next()));
    findings.marks.resize(static_cast<std::size_t>(next()));
    for (std::int64_t& sequence : findings.sequences) sequence = next();
    for (Mark& mark : findings.marks) {
      mark.byte = next();
      mark.letters = next();
    }
    findings.wrong = std::string(bytes);
    return findings;
  }
};

SharedFasta::~SharedFasta() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status SharedFasta::OpenFile(std::string& why) {
  if (IsReadOnce(path_)) {
    why = "is no file on the disk";
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(descriptor_, OpenForReading(path_));
  struct stat facts;
  if (fstat(descriptor_, &facts) != 0) {
    return InternalError("cannot look at ", path_);
  }
  bytes_ = facts.st_size;
  LineReader lines = LinesOf(path_, descriptor_, 0, bytes_);
  bool more = true;
  do {
    ASSIGN_OR_RETURN(more, lines.Next());
  } while (more && absl::StripAsciiWhitespace(lines.text()).empty());
  // How gzip and BGZF begin.
  if (more && absl::StartsWith(lines.text(), "\x1f\x8b")) {
    why = "is compressed";
  } else if (!more || !lines.starts_line() || !IsHeader(lines.text())) {
    why = "is not FASTA";
  }
  return absl::OkStatus();
}

absl::StatusOr<SharedFasta::Findings> SharedFasta::LookAt(
    std::int64_t first, std::int64_t last) const {
  LineReader lines = LinesOf(path_, descriptor_, first, last);
  const Meanings meanings = MeaningsOf(alphabet_);
  Findings findings;
  findings.marks.push_back({first, 0});
  bool in_header = false;
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, lines.Next());
    findings.lines = lines.line();
    if (!more) return findings;
    if (lines.starts_line()) {
      in_header = IsHeader(lines.text());
      if (in_header) findings.sequences.push_back(findings.letters);
    }
    if (in_header) continue;
    const std::int64_t byte = first + lines.position();
    if (byte - findings.marks.back().byte >= kMarkBytes) {
      findings.marks.push_back({byte, findings.letters});
    }
    const std::optional<char> foreign =
        ForLetters(lines.text(), meanings, [&](int meaning) {
          ++(meaning == kOutside ? findings.skipped : findings.letters);
        });
    if (foreign.has_value()) {
      findings.wrong = CannotStandInASequence(*foreign);
      return findings;
    }
  }
}

absl::Status SharedFasta::Combine(const std::vector<Findings>& all) {
  std::int64_t lines = 0;
  std::int64_t letters = 0;
  for (const Findings& findings : all) {
    lines += findings.lines;
    if (!findings.wrong.empty()) {
      return InvalidArgumentError(SourceName(path_), ", line ", lines, ": ",
                                  findings.wrong);
    }
    for (const std::int64_t sequence : findings.sequences) {
      offsets_.push_back(letters + sequence);
    }
    for (const Mark& mark : findings.marks) {
      marks_.push_back({mark.byte, letters + mark.letters});
    }
    letters += findings.letters;
    skipped_ += findings.skipped;
  }
  offsets_.push_back(letters);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const SharedFasta>> SharedFasta::Open(
    const std::string& path, absl::string_view alphabet, std::string& why) {
  const std::shared_ptr<SharedFasta> fasta(new SharedFasta(path, alphabet));
  RETURN_IF_ERROR(AgreeAsOne(Guarded([&] { return fasta->OpenFile(why); })));
  // All go the same way, even if they do not see the same file.
  ASSIGN_OR_RETURN(const std::vector<std::string> reasons, FromAll(why));
  for (const std::string& reason : reasons) {
    if (reason.empty()) continue;
    why = reason;
    return nullptr;
  }

  RETURN_IF_ERROR(AgreeOnBytesOf(SourceName(path), fasta->bytes_));

  std::string mine;
  RETURN_IF_ERROR(AgreeAsOne(Guarded([&]() -> absl::Status {
    const std::int64_t share = fasta->bytes_ / ReplicaCount();
    const std::int64_t rest = fasta->bytes_ % ReplicaCount();
    const auto begin = [&](std::int64_t replica) {
      return LineFrom(path, fasta->descriptor_,
                      share * replica + std::min(replica, rest), fasta->bytes_);
    };
    ASSIGN_OR_RETURN(const std::int64_t first, begin(ReplicaIndex()));
    ASSIGN_OR_RETURN(const std::int64_t last, begin(ReplicaIndex() + 1));
    ASSIGN_OR_RETURN(const Findings findings, fasta->LookAt(first, last));
    mine = findings.ToBytes();
    return absl::OkStatus();
  })));
  ASSIGN_OR_RETURN(const std::vector<std::string> told, FromAll(mine));
  RETURN_IF_ERROR(AgreeAsOne(Guarded([&] {
    std::vector<Findings> all;
    for (const std::string& findings : told) {
      all.push_back(Findings::FromBytes(findings));
    }
    return fasta->Combine(all);
  })));
  return fasta;
}

absl::Status SharedFasta::Read(std::int64_t first, std::int64_t last,
                               const Take& take) const {
  if (first >= last) return absl::OkStatus();
  const Mark mark = *std::prev(std::upper_bound(
      marks_.begin(), marks_.end(), first,
      [](std::int64_t letter, const Mark& m) { return letter < m.letters; }));
  LineReader lines = LinesOf(path_, descriptor_, mark.byte, bytes_);
  const Meanings meanings = MeaningsOf(alphabet_);
  std::vector<std::uint8_t> letters;
  std::int64_t next = mark.letters;
  bool in_header = false;
  while (next < last) {
    ASSIGN_OR_RETURN(const bool more, lines.Next());
    if (!more) {
      return DataLossError(SourceName(path_), " has changed while it was read");
    }
    if (lines.starts_line()) in_header = IsHeader(lines.text());
    if (in_header) continue;
    letters.clear();
    const std::int64_t place = std::max(first, next);
    (void)ForLetters(lines.text(), meanings, [&](int meaning) {
      if (meaning == kOutside) return;
      if (next >= first && next < last) {
        letters.push_back(static_cast<std::uint8_t>(meaning));
      }
      ++next;
    });
    if (!letters.empty()) RETURN_IF_ERROR(take(place, letters));
  }
  return absl::OkStatus();
}

}  // namespace concord::tensor_sketch
