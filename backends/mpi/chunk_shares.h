// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_CHUNK_SHARES_H_
#define CONCORD_BACKENDS_MPI_CHUNK_SHARES_H_

#include <algorithm>
#include <cstdint>

#include "concord/backends/mpi/stretches.h"

namespace concord {

// Which chunks of an array, and which elements, each member works on. A chunk
// is the member's who has its first element.
struct ChunkShares {
  Ranges chunks;
  // Elements of its last chunk that are in later stretches.
  Ranges tails;
};

// Of an array of n elements; the last chunk may be shorter than `chunk`.
inline ChunkShares ShareChunks(const Ranges& stretches, std::int64_t n,
                               std::int64_t chunk) {
  const auto round_up = [chunk](std::int64_t i) {
    return (i + chunk - 1) / chunk * chunk;
  };
  ChunkShares shares;
  for (const Range& stretch : stretches) {
    const std::int64_t first = round_up(stretch.first);
    const std::int64_t last = round_up(stretch.last);
    const bool has_any = first < stretch.last;
    shares.chunks.push_back({first / chunk, last / chunk});
    shares.tails.push_back(
        {stretch.last, has_any ? std::min(last, n) : stretch.last});
  }
  return shares;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_CHUNK_SHARES_H_
