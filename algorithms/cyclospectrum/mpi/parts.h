// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which elements of a spectrum a rank works out. An element and the one that
// mirrors it are found together, at a place of the lower half.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PARTS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "concord/algorithms/cyclospectrum/tbb/writers.h"
#include "concord/backends/mpi/stretches.h"

namespace concord::cyclospectrum {

// Places of the lower half, and which halves are wanted of what belongs there.
struct Part {
  concord::Range places;
  Halves halves;
};

// The elements that mirror these, of a spectrum of so many.
inline concord::Range MirrorOf(concord::Range elements, std::int64_t size) {
  return {size - elements.last, size - elements.first};
}

// Places whose elements are in one stretch, and what mirrors them in another
// one, or the same.
inline concord::Range PlacesOf(concord::Range lower, concord::Range upper,
                               std::int64_t size) {
  return Intersection(Intersection(lower, MirrorOf(upper, size)),
                      {0, size / 2});
}

// All of a stretch.
inline std::vector<Part> PartsOf(concord::Range stretch, std::int64_t size) {
  const concord::Range both = PlacesOf(stretch, stretch, size);
  const concord::Range lower = Intersection(stretch, {0, size / 2});
  const concord::Range upper =
      Intersection(MirrorOf(stretch, size), {0, size / 2});
  // Where there are places of both, they are the last ones of either.
  const auto rest = [&](concord::Range half) {
    return both.empty() ? half : concord::Range{half.first, both.first};
  };
  return {{both, Halves::kBoth},
          {rest(lower), Halves::kLower},
          {rest(upper), Halves::kUpper}};
}

// Elements that a rank works out for another one, and those that it gets for
// them.
struct Trade {
  std::size_t rank;
  concord::Range sent;
  concord::Range got;
};

// What a rank works out where of all places that two ranks share each works out
// half.
struct Trades {
  std::vector<Part> parts;
  std::vector<Trade> with;
};

inline Trades TradesOf(const Ranges& stretches, std::size_t self,
                       std::int64_t size) {
  Trades trades;
  for (std::size_t r = 0; r < stretches.size(); ++r) {
    const concord::Range places = PlacesOf(stretches[std::min(self, r)],
                                           stretches[std::max(self, r)], size);
    if (places.empty()) continue;
    if (r == self) {
      trades.parts.push_back({places, Halves::kBoth});
      continue;
    }
    const std::int64_t middle = places.first + places.size() / 2;
    const concord::Range before = {places.first, middle};
    const concord::Range behind = {middle, places.last};
    if (self < r) {
      trades.parts.push_back({before, Halves::kLower});
      trades.with.push_back({r, before, behind});
    } else {
      trades.parts.push_back({behind, Halves::kUpper});
      trades.with.push_back(
          {r, MirrorOf(behind, size), MirrorOf(before, size)});
    }
  }
  return trades;
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PARTS_H_
