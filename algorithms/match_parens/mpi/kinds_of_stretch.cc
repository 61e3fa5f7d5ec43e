// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/mpi/kinds_of_stretch.h"

#include <algorithm>
#include <cstring>

#include "concord/algorithms/match_parens/tbb/depths.h"
#include "concord/core/errors.h"

namespace concord::match_parens {
namespace {

std::int64_t ChunksOf(std::int64_t n) { return (n + kChunk - 1) / kChunk; }

}  // namespace

absl::Status KindsOfStretch::Prepare(Backend& local, std::int64_t n) {
  constexpr std::int64_t kWords = sizeof(Chunk) / sizeof(std::int64_t);
  ASSIGN_OR_RETURN(chunks_,
                   local.Allocate(ElementType::kInt64, kWords * ChunksOf(n)));
  ASSIGN_OR_RETURN(kinds_, local.Allocate(ElementType::kUInt8, n));
  ASSIGN_OR_RETURN(room_,
                   local.Allocate(ElementType::kUInt8, std::min(n, kChunk)));
  return absl::OkStatus();
}

void KindsOfStretch::Reduce(TeamBackend& backend, const std::uint8_t* in,
                            std::int64_t n, const Brackets& brackets) {
  in_ = in;
  brackets_ = &brackets;
  const std::int64_t count = ChunksOf(n);
  auto* const kinds = kinds_.data<std::uint8_t>();
  backend.ForEachWorker([&](int w) {
    const Range share = ShareOf({0, count}, w, backend.workers());
    for (std::int64_t c = share.first; c < share.last; ++c) {
      const std::int64_t first = c * kChunk;
      chunks()[c].unmatched = Unmatched::Of(
          in, first, std::min(first + kChunk, n), brackets, kinds + first);
    }
  });
  taken_ = closing_count_ = opening_count_ = 0;
  lowest_chunk_ = fault_ = -1;
  while (taken_ < count && Append(taken_++)) {
  }
}

// What is left takes no more room than what it is left of, so nothing is
// written over that is still to be read.
bool KindsOfStretch::Append(std::int64_t number) {
  Chunk& chunk = chunks()[number];
  const Unmatched& next = chunk.unmatched;
  auto* const kinds = kinds_.data<std::uint8_t>();
  chunk.closing_before = closing_count_;
  for (chunk.matched = 0;
       chunk.matched < next.closing_count && opening_count_ > 0;
       ++chunk.matched) {
    if (opening()[opening_count_ - 1] != next.closing[chunk.matched]) {
      fault_ = match_parens::PlaceOfClosing(
          in_, *brackets_, next, chunk.matched, room_.data<std::uint8_t>());
      return false;
    }
    --opening_count_;
  }
  const std::int64_t closing = next.closing_count - chunk.matched;
  if (closing > 0) {
    // Nothing is open.
    std::memmove(kinds + closing_count_, next.closing + chunk.matched,
                 static_cast<std::size_t>(closing));
    closing_count_ += closing;
  }
  fault_ = next.fault;
  if (fault_ >= 0) return false;
  if (next.opening_count > 0) {
    if (opening_count_ == 0) lowest_chunk_ = number;
    std::memmove(kinds + closing_count_ + opening_count_, next.opening,
                 static_cast<std::size_t>(next.opening_count));
    opening_count_ += next.opening_count;
  }
  return true;
}

std::int64_t KindsOfStretch::PlaceOfClosing(std::int64_t number) {
  const Chunk* const behind = std::upper_bound(
      chunks(), chunks() + taken_, number,
      [](std::int64_t k, const Chunk& c) { return k < c.closing_before; });
  const Chunk& chunk = *(behind - 1);
  return match_parens::PlaceOfClosing(
      in_, *brackets_, chunk.unmatched,
      chunk.matched + (number - chunk.closing_before),
      room_.data<std::uint8_t>());
}

std::int64_t KindsOfStretch::PlaceOfLowest() {
  return match_parens::PlaceOfLowest(in_, *brackets_,
                                     chunks()[lowest_chunk_].unmatched,
                                     room_.data<std::uint8_t>());
}

}  // namespace concord::match_parens
