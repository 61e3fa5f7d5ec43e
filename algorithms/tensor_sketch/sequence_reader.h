// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_READER_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord::tensor_sketch {

struct Sequences {
  // Of all sequences one after the other; the first letter of the alphabet is
  // 0. Sequence i is [offsets[i], offsets[i + 1]).
  std::vector<std::uint8_t> letters;
  std::vector<std::int64_t> offsets = {0};
  // Letters that were left out because they are not in the alphabet.
  std::int64_t skipped = 0;
};

// Reads FASTA or FASTQ, plain, gzip or BGZF, from a file or, when `path` is
// "-", from standard input. A line ends in "\n", "\r\n" or "\r" and may be of
// any length. Lower case counts as upper case. Letters outside the alphabet,
// such as N or the gap '-', are left out and counted. A sequence may be empty;
// there is at least one.
//
// The whole input is read or none of it: NotFound when there is no such file,
// ResourceExhausted when there are more letters than the memory holds,
// otherwise InvalidArgument with the path, the line and what was found there,
// when the file cannot be read, is empty, cut short, or neither FASTA nor
// FASTQ. (Only a file can be searched for the end marker of BGZF; what comes
// through a pipe and ends between two blocks looks complete.)
absl::StatusOr<Sequences> ReadSequences(const std::string& path,
                                        absl::string_view alphabet);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_READER_H_
