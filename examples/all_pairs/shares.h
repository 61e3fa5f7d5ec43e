// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Who of several ranks of MPI has which sequences of a file, and sketches of
// which none of them has all.

#ifndef CONCORD_EXAMPLES_ALL_PAIRS_SHARES_H_
#define CONCORD_EXAMPLES_ALL_PAIRS_SHARES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/core/backend.h"
#include "concord/examples/all_pairs/sequence_batches.h"

namespace concord::all_pairs {

// Called by all ranks together.
class Shares {
 public:
  // Each rank looks at its part of the file for headers. Then all know what is
  // known of every sequence, and the backend has room for all sketches, of
  // `dim` numbers each, of which a rank has a stretch.
  static absl::StatusOr<Shares> Find(const std::shared_ptr<Backend>& backend,
                                     const std::string& path, std::int64_t dim);

  // The sequences [first, last) are those of which this rank has the sketch or
  // a part of it, and `byte` is where they begin in the file.
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  std::int64_t byte() const { return byte_; }
  // Of all sequences.
  const std::vector<Ancestry>& ancestries() const { return ancestries_; }

  // The numbers of this rank's sketches, all of them.
  absl::Status Put(const std::vector<double>& sketches);

  // The pairs of all sketches, the same for every rank.
  absl::StatusOr<std::vector<std::array<std::int64_t, 2>>> FindPairs(
      SimilarPairs::Options options) const;

 private:
  std::shared_ptr<Backend> backend_;
  std::int64_t dim_ = 0;
  std::vector<Ancestry> ancestries_;
  Array sketches_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t byte_ = 0;
};

}  // namespace concord::all_pairs

#endif  // CONCORD_EXAMPLES_ALL_PAIRS_SHARES_H_
