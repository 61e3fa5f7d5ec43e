// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "concord/algorithms/radix_sort/tbb/elements.h"
#include "concord/algorithms/radix_sort/tbb/workspace.h"

namespace concord::radix_sort {

// Sorts keys of 4 bytes that come alone, by all their bits, when they are
// spread evenly enough for one distribution to leave parts that a thread sorts
// in its cache. False, and nothing is written to the sink, when they are not.
// More than kLocalBytes of them.
//
// The digit to distribute by is chosen by a sample of the keys. They are not
// counted, but leave in chunks that are full (chunks.h). Each part is then
// sorted with buckets of registers (buckets.h).
absl::StatusOr<bool> SortByChunks(Workspace& workspace,
                                  const KeySource<std::uint32_t>& source,
                                  std::int64_t n, std::uint32_t* out);

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNK_SORT_H_
