// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/cyclospectrum/tbb/writers.h"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE \
  "concord/algorithms/cyclospectrum/tbb/writers_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::cyclospectrum {
namespace {

// Of runs that are this long on average, few are longer than a group of 16.
constexpr std::int64_t kShortRuns = 12;

}  // namespace

template <typename T>
std::int64_t ExpandRuns(T first, const std::uint32_t* counts, std::int64_t n,
                        T* to, std::int64_t room, std::int64_t& used) {
  // The average of the first runs, to be quick.
  const std::int64_t looked_at = std::min<std::int64_t>(n, 64);
  const std::int64_t elements =
      std::accumulate(counts, counts + looked_at, std::int64_t{0});
  const auto expand = elements > kShortRuns * looked_at
                          ? CONCORD_SIMD_CHOOSE(ExpandBy<T, 64>)
                          : CONCORD_SIMD_CHOOSE(ExpandBy<T, 16>);
  return expand(first, counts, n, to, room, used);
}

template std::int64_t ExpandRuns(std::int32_t, const std::uint32_t*,
                                 std::int64_t, std::int32_t*, std::int64_t,
                                 std::int64_t&);
template std::int64_t ExpandRuns(std::int64_t, const std::uint32_t*,
                                 std::int64_t, std::int64_t*, std::int64_t,
                                 std::int64_t&);

}  // namespace concord::cyclospectrum
