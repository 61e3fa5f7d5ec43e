// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_SPEC_ORDER_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_SPEC_ORDER_H_

#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/host_array.h"

namespace concord::radix_sort {

// The names of a case's arrays. An input and an output cannot share one.
inline constexpr char kRadixSortKeys[] = "in";
inline constexpr char kRadixSortValues[] = "in_values";
inline constexpr char kRadixSortSortedKeys[] = "out";
inline constexpr char kRadixSortSortedValues[] = "values";

// What the order of a sort looks at, for each key: two keys are equal where
// these are, and the key with the smaller one comes first. Nothing here uses
// radix_sort_keys.h, which is under test: ranks are counted, by subtraction,
// from the first key of the order.
std::vector<std::uint64_t> RadixSortRanks(const HostArray& keys,
                                          const RadixSort::Options& options);

// The positions of the ranks in rising order; of equal ones, the first first.
std::vector<std::int64_t> StablePositions(
    const std::vector<std::uint64_t>& ranks);

// The elements at these positions.
HostArray Gather(const HostArray& from,
                 const std::vector<std::int64_t>& positions);

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_SPEC_ORDER_H_
