// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of writers.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::cyclospectrum {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// ExpandRuns, with kGroup elements stored for every run, whatever its length:
// a loop for those of a run would end where no CPU foresees it, and that costs
// more than to write too much.
template <typename T, int kGroup>
std::int64_t ExpandBy(T first, const std::uint32_t* counts, std::int64_t n,
                      T* to, std::int64_t room, std::int64_t& used) {
  static_assert(kGroup % kLanes<T> == 0 && kGroup <= kRunSlack);
  std::int64_t end = used;
  std::int64_t i = 0;
  for (; i < n; ++i) {
    const auto count = static_cast<std::int64_t>(counts[i]);
    if (count > room - end) break;
    const Vector<T> value = Broadcast(static_cast<T>(first + i));
    T* const run = to + end;
    for (int k = 0; k < kGroup; k += kLanes<T>) Store<T>(value, run + k);
    for (std::int64_t k = kGroup; k < count; k += kLanes<T>) {
      Store<T>(value, run + k);
    }
    end += count;
  }
  used = end;
  return i;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::cyclospectrum
