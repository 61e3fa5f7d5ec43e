// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_TILED_PAIRS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_TILED_PAIRS_H_

#include <cstdint>
#include <memory>

#include "concord/algorithms/similar_pairs/blocks.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/backends/tbb/tbb_backend.h"

namespace concord::similar_pairs {

// Rows of a panel, whose first numbers stand together, then their second ones
// and so on.
constexpr int kPanel = 16;

// Rows that a thread takes at a time. Their float32 copy stays in the
// second-level cache while all others pass by: 48 KiB at 96 numbers.
constexpr std::int64_t kBandPanels = 8;
constexpr std::int64_t kBand = kBandPanels * kPanel;

// By all threads of `backend`, which outlives it; tiled_pairs.cc says how.
// ResourceExhausted: there is no memory for a float32 copy of the blocks, or
// for the pairs of a band.
std::unique_ptr<BlockPairs> NewTiledPairs(TbbBackend& backend, ElementType type,
                                          const SimilarPairs::Options& options);

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_TILED_PAIRS_H_
