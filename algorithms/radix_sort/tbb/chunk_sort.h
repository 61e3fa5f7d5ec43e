// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "concord/algorithms/radix_sort/tbb/elements.h"
#include "concord/algorithms/radix_sort/tbb/sink.h"
#include "concord/algorithms/radix_sort/tbb/workspace.h"

namespace concord::radix_sort {

// Whether SortByChunks is there for a source: keys of one byte have too few
// digits, and positions of 64 bits are for arrays beyond its reach.
template <typename Source>
inline constexpr bool kInChunks = sizeof(*Source::keys) > 1;
template <typename Bits>
inline constexpr bool kInChunks<PairSource<Bits, Positions<std::uint64_t>>> =
    false;

// Sorts elements, stably and by all bits of their keys, when the keys are
// spread evenly enough for one distribution to leave parts that a thread sorts
// in its cache. False, and nothing is written to the sink, when they are not.
//
// The digit to distribute by is chosen by a sample of the keys. They are not
// counted, but leave in chunks that are full (chunks.h). Each part is then
// sorted with buckets of registers (buckets.h).
template <typename Source>
absl::StatusOr<bool> SortByChunks(
    Workspace& workspace, const Source& source, std::int64_t n,
    const ElementSink<typename Source::Element>& sink);

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_
