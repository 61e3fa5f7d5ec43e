// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_FILE_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace concord::tensor_sketch {

// The bytes of a file, decompressed if they have to be.
class SequenceFile {
 public:
  // What is read at a time.
  static constexpr std::size_t kBufferSize = 64 << 10;

  virtual ~SequenceFile() = default;
  // The next bytes, at most kBufferSize; 0 at the end. InvalidArgument names
  // the file.
  virtual absl::StatusOr<std::size_t> Read(char* buffer) = 0;
};

// "-" is standard input. sequence_file_htslib.cc reads gzip and BGZF, too;
// sequence_file_plain.cc, which is compiled where htslib is not installed, says
// that it does not.
absl::StatusOr<std::unique_ptr<SequenceFile>> OpenSequenceFile(
    const std::string& path);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SEQUENCE_FILE_H_
