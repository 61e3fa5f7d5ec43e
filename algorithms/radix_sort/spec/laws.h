// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_SPEC_LAWS_H_

#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/spec.h"

namespace concord::radix_sort {

// The names of a case's arrays. An input and an output cannot share one.
inline constexpr char kRadixSortKeys[] = "in";
inline constexpr char kRadixSortValues[] = "in_values";
inline constexpr char kRadixSortSortedKeys[] = "out";
inline constexpr char kRadixSortSortedValues[] = "values";

// sorted, permutation, stability, idempotence.
std::vector<Law> RadixSortLaws();

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_SPEC_LAWS_H_
