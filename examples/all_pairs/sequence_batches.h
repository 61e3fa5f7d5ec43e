// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sequences on their way to and from a FASTA file, with what is known of their
// ancestry in their headers:
//
//   >s17 ancestor=4 rate=0.01
//   ACGTTA...

#ifndef CONCORD_EXAMPLES_ALL_PAIRS_SEQUENCE_BATCHES_H_
#define CONCORD_EXAMPLES_ALL_PAIRS_SEQUENCE_BATCHES_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace concord::all_pairs {

// Where a sequence comes from.
struct Ancestry {
  std::int64_t ancestor = 0;
  // Of its letters, the share that was mutated.
  double rate = 0;
};

// A header without its ">".
std::string FormatHeader(std::int64_t sequence, const Ancestry& ancestry);
absl::StatusOr<Ancestry> ParseHeader(const std::string& header);

// One of a file: where it begins, and what it says.
struct Header {
  std::int64_t byte = 0;
  Ancestry ancestry;
};

// Those that begin in the bytes [first, last) of a file.
absl::StatusOr<std::vector<Header>> FindHeaders(const std::string& path,
                                                std::int64_t first,
                                                std::int64_t last);

// Some sequences of a file, as tensor_sketch takes them.
struct Batch {
  std::vector<std::uint8_t> letters;  // 0 to 3 for ACGT; others are left out
  std::vector<std::int64_t> offsets = {0};
  std::vector<Ancestry> ancestries;

  std::int64_t size() const {
    return static_cast<std::int64_t>(ancestries.size());
  }
};

// Reads FASTA a batch at a time, so that memory holds no more than one.
class BatchReader {
 public:
  // From a header on, by default that of the first sequence.
  explicit BatchReader(const std::string& path, std::int64_t byte = 0)
      : path_(path), file_(path) {
    file_.seekg(byte);
  }

  // The next sequences, `most` unless the file ends; none at its end.
  absl::StatusOr<Batch> Next(std::int64_t most);

 private:
  const std::string path_;
  std::ifstream file_;
  // The header of the next sequence, once it has been read.
  std::string line_;
};

}  // namespace concord::all_pairs

#endif  // CONCORD_EXAMPLES_ALL_PAIRS_SEQUENCE_BATCHES_H_
