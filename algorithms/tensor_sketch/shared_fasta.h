// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SHARED_FASTA_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SHARED_FASTA_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace concord::tensor_sketch {

// A plain FASTA file that replicas (core/replicas.h) read together. Each looks
// at its share of the lines, once; then all know where sequences begin and
// where in the file letters are, and none keeps letters. What is in the file is
// what ReadSequences finds there.
class SharedFasta {
 public:
  // Called by all replicas together. Null where each of them has to read the
  // whole file, because it is something else; `why` then says so: "is
  // compressed". Errors are those of ReadSequences, the same for all
  // (AgreeAsOne).
  static absl::StatusOr<std::shared_ptr<const SharedFasta>> Open(
      const std::string& path, absl::string_view alphabet, std::string& why);

  ~SharedFasta();

  // As Sequences has them; the last offset is the number of letters.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  std::int64_t skipped() const { return skipped_; }

  // Reads the letters [first, last), a few at a time: calls take(place of the
  // first of them, letters). By each replica for itself.
  using Take = std::function<absl::Status(
      std::int64_t place, absl::Span<const std::uint8_t> letters)>;
  absl::Status Read(std::int64_t first, std::int64_t last,
                    const Take& take) const;

 private:
  // A place in a sequence, or where a line begins.
  struct Mark {
    std::int64_t byte = 0;
    std::int64_t letters = 0;  // before it
  };
  // What a replica finds in its lines.
  struct Findings;

  SharedFasta(const std::string& path, absl::string_view alphabet)
      : path_(path), alphabet_(alphabet) {}

  absl::Status OpenFile(std::string& why);
  absl::StatusOr<Findings> LookAt(std::int64_t first, std::int64_t last) const;
  absl::Status Combine(const std::vector<Findings>& all);

  const std::string path_;
  const std::string alphabet_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<Mark> marks_;
  std::int64_t skipped_ = 0;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SHARED_FASTA_H_
