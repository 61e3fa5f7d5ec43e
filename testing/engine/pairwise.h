// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_PAIRWISE_H_
#define CONCORD_TESTING_ENGINE_PAIRWISE_H_

#include <functional>
#include <vector>

#include "concord/core/random.h"

namespace concord {

// A choice that has not been made yet.
constexpr int kUnset = -1;

// Rows of choices, one for each factor, such that any two choices of any two
// factors that can go together do so in some row. Factor f has choices 0 to
// counts[f] - 1. Most mistakes take two circumstances, few take three; all
// pairs need few rows: about as many as the two largest counts multiplied.
//
// `possible` tells whether a row, with some choices still kUnset, can be
// completed. Rows are found greedily, as in Cohen, Dalal, Fredman and Patton,
// "The AETG system" (1997), from candidates that `random` proposes.
std::vector<std::vector<int>> CoverPairs(
    const std::vector<int>& counts,
    const std::function<bool(const std::vector<int>& row)>& possible,
    Random& random);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_PAIRWISE_H_
