// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_TBB_KINDS_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_TBB_KINDS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "concord/algorithms/match_parens/match_parens.h"

namespace concord::match_parens {

// What is left of a chunk when matching brackets are struck out: closing ones,
// then opening ones. Of these the kinds are kept; positions are found again by
// going through the chunk once more, for a fault is found but once.
struct Unmatched {
  std::int64_t first;  // the elements of the chunk
  std::int64_t last;
  // A closing bracket with a wrong partner in the chunk, or -1; then the rest
  // of the chunk does not matter and was not looked at.
  std::int64_t fault;
  const std::uint8_t* closing;  // from the first to the last
  std::int64_t closing_count;
  const std::uint8_t* opening;
  std::int64_t opening_count;

  // Of in[first, last). `kinds` has room for as many, and is what the pointers
  // point into.
  static Unmatched Of(const std::uint8_t* in, std::int64_t first,
                      std::int64_t last, const Brackets& brackets,
                      std::uint8_t* kinds);
};

// Where in the array the chunk's closing bracket without a partner is that has
// this number, and its lowest opening one. `room` is for as many as the chunk
// has elements.
std::int64_t PlaceOfClosing(const std::uint8_t* in, const Brackets& brackets,
                            const Unmatched& chunk, std::int64_t number,
                            std::uint8_t* room);
std::int64_t PlaceOfLowest(const std::uint8_t* in, const Brackets& brackets,
                           const Unmatched& chunk, std::uint8_t* room);

// The first fault of an array that has been cut into these chunks, or -1.
std::int64_t FirstFaultOfChunks(const std::uint8_t* in,
                                const Brackets& brackets,
                                absl::Span<const Unmatched> chunks);

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_TBB_KINDS_H_
