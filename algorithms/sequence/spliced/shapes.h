// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the kernels of templates are cut, for those who launch them.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_

#include <cstdint>

#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::sequence {

// Four groups of a column of int32 are 64 bytes in flight for a thread: 128 KiB
// on a multiprocessor, where 40 cover the latency.
inline constexpr int kMapThreads = 256;
inline constexpr int kMapGroups = 4;
inline constexpr std::int64_t kMapTile =
    std::int64_t{kMapThreads} * kMapGroups * spliced::kMapGroup;

// A row (algorithms/sequence/order.h) for each thread.
inline constexpr int kFoldBlockRows = 128;

// Elements of a block of a scan, which are a node (algorithms/scan/scan.h): one
// for each thread. The nodes in it are 32 KiB of shared memory where a state
// has 8 words of 64 bits.
inline constexpr int kScanChunk = 256;

// A block of a filter goes through its elements in order, one for each thread
// at a time.
inline constexpr int kFilterThreads = 256;
inline constexpr int kFilterChunk = 8 * kFilterThreads;
// Of the one block that adds up what blocks keep.
inline constexpr int kFilterSumThreads = 1024;

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_
