// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_MPI_KINDS_OF_STRETCH_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_MPI_KINDS_OF_STRETCH_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/tbb/kinds.h"
#include "concord/backends/mpi/team_backend.h"

namespace concord::match_parens {

// Several kinds: what is left of a rank's stretch when matching brackets are
// struck out, closing ones, then opening ones. It is reduced by chunks, and
// what is left of these is matched in place.
class KindsOfStretch {
 public:
  // What can fail: the memory for a stretch of n elements.
  absl::Status Prepare(Backend& local, std::int64_t n);
  void Reduce(TeamBackend& backend, const std::uint8_t* in, std::int64_t n,
              const Brackets& brackets);

  // Until the fault, if there is one.
  std::int64_t closing_count() const { return closing_count_; }
  std::int64_t opening_count() const { return opening_count_; }
  const std::uint8_t* closing() const { return kinds_.data<std::uint8_t>(); }
  const std::uint8_t* opening() const { return closing() + closing_count_; }

  // A closing bracket with a wrong partner in the stretch: where, or -1.
  std::int64_t fault() const { return fault_; }
  // Where the closing bracket with this number is, and the lowest opening one.
  std::int64_t PlaceOfClosing(std::int64_t number);
  std::int64_t PlaceOfLowest();

 private:
  struct Chunk {
    Unmatched unmatched;
    // Closing brackets that are left of the chunks before.
    std::int64_t closing_before;
    // So many of the chunk's own have a partner in a chunk before.
    std::int64_t matched;
  };

  Chunk* chunks() {
    return reinterpret_cast<Chunk*>(chunks_.data<std::int64_t>());
  }
  // Takes in the next chunk; false when there is a fault.
  bool Append(std::int64_t chunk);

  // Of the current call.
  const std::uint8_t* in_ = nullptr;
  const Brackets* brackets_ = nullptr;
  Array chunks_;
  Array kinds_;
  Array room_;
  std::int64_t taken_ = 0;  // chunks
  std::int64_t closing_count_ = 0;
  std::int64_t opening_count_ = 0;
  std::int64_t lowest_chunk_ = -1;
  std::int64_t fault_ = -1;
};

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_MPI_KINDS_OF_STRETCH_H_
