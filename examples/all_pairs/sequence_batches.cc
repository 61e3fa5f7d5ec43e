// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/examples/all_pairs/sequence_batches.h"

#include <array>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace concord::all_pairs {
namespace {

constexpr std::uint8_t kNoLetter = 4;

constexpr std::array<std::uint8_t, 256> Ranks() {
  std::array<std::uint8_t, 256> ranks = {};
  for (std::uint8_t& rank : ranks) rank = kNoLetter;
  ranks['A'] = 0;
  ranks['C'] = 1;
  ranks['G'] = 2;
  ranks['T'] = 3;
  return ranks;
}

// Without a branch for each letter, as letters cannot be foreseen.
void AddLetters(const std::string& line, std::vector<std::uint8_t>& letters) {
  static constexpr std::array<std::uint8_t, 256> kRanks = Ranks();
  const std::size_t size = letters.size();
  letters.resize(size + line.size());
  std::uint8_t* end = letters.data() + size;
  for (const char letter : line) {
    *end = kRanks[static_cast<unsigned char>(letter)];
    end += *end != kNoLetter;
  }
  letters.resize(static_cast<std::size_t>(end - letters.data()));
}

absl::Status NoHeader(const std::string& path, const std::string& line) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": '", line, "' is no header"));
}

// A folder, for one, can be opened.
absl::Status CannotRead(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
}

}  // namespace

std::string FormatHeader(std::int64_t sequence, const Ancestry& ancestry) {
  return absl::StrFormat("s%d ancestor=%d rate=%g", sequence, ancestry.ancestor,
                         ancestry.rate);
}

absl::StatusOr<Ancestry> ParseHeader(const std::string& header) {
  Ancestry ancestry;
  long long ancestor = 0;
  if (std::sscanf(header.c_str(), "s%*d ancestor=%lld rate=%lf", &ancestor,
                  &ancestry.rate) != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", header, "' does not say where the sequence comes from"));
  }
  ancestry.ancestor = ancestor;
  return ancestry;
}

absl::StatusOr<std::vector<Header>> FindHeaders(const std::string& path,
                                                std::int64_t first,
                                                std::int64_t last) {
  std::ifstream file(path);
  if (!file.is_open()) {
    return absl::NotFoundError(absl::StrCat("cannot open ", path));
  }
  std::vector<Header> headers;
  std::string line;
  std::int64_t byte = 0;
  if (first > 0) {
    // What is left of the line that has the byte before is no header.
    byte = first - 1;
    file.seekg(byte);
    std::getline(file, line);
    byte += static_cast<std::int64_t>(line.size()) + 1;
  }
  while (byte < last && std::getline(file, line)) {
    if (byte == 0 && (line.empty() || line.front() != '>')) {
      return NoHeader(path, line);
    }
    if (!line.empty() && line.front() == '>') {
      const absl::StatusOr<Ancestry> ancestry = ParseHeader(line.substr(1));
      if (!ancestry.ok()) return ancestry.status();
      headers.push_back({byte, *ancestry});
    }
    byte += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (file.bad()) return CannotRead(path);
  return headers;
}

absl::StatusOr<Batch> BatchReader::Next(std::int64_t most) {
  if (!file_.is_open()) {
    return absl::NotFoundError(absl::StrCat("cannot open ", path_));
  }
  Batch batch;
  // What is left from the batch before, or else the first line.
  bool is_there = !line_.empty() || std::getline(file_, line_);
  while (batch.size() < most && is_there) {
    if (line_.empty() || line_.front() != '>') {
      return NoHeader(path_, line_);
    }
    absl::StatusOr<Ancestry> ancestry = ParseHeader(line_.substr(1));
    if (!ancestry.ok()) return ancestry.status();
    line_.clear();
    while (std::getline(file_, line_) &&
           (line_.empty() || line_.front() != '>')) {
      AddLetters(line_, batch.letters);
      line_.clear();
    }
    batch.offsets.push_back(static_cast<std::int64_t>(batch.letters.size()));
    batch.ancestries.push_back(*ancestry);
    is_there = !line_.empty();
  }
  if (file_.bad()) return CannotRead(path_);
  return batch;
}

}  // namespace concord::all_pairs
