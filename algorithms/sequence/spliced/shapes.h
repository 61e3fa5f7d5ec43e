// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the kernels of templates are cut, for those who launch them.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_

#include <cstdint>

#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::sequence {

// A group of elements of 4 bytes or more for a thread, and as many blocks as
// that takes, is as fast as a copy (algorithms/transform/NOTES.md). Of bytes
// that would be too little in flight, so a thread then has four groups.
inline constexpr int kMapThreads = 256;
inline constexpr int kMapGroups = 1;
inline constexpr int kMapGroupsOfBytes = 4;
constexpr std::int64_t MapTile(int groups) {
  return std::int64_t{kMapThreads} * groups * spliced::kMapGroup;
}

// A row (algorithms/sequence/order.h) for each thread.
inline constexpr int kFoldBlockRows = 128;

// A tile of a scan is a node (algorithms/scan/scan.h). It waits in shared
// memory as states, of 4 to 64 bytes, while the block brings the next one: two
// tiles of 32 KiB for a block, six on a multiprocessor of Hopper's.
inline constexpr int kScanThreads = 256;
inline constexpr int kScanTileBytes = 32 << 10;
inline constexpr int kScanSharedBytes = 2 * kScanTileBytes;
constexpr int ScanTile(int state_bytes) { return kScanTileBytes / state_bytes; }
// Blocks that share a multiprocessor: wide states need the registers of two or
// three.
constexpr int ScanBlocks(int state_bytes) {
  return state_bytes <= 16 ? 3 : state_bytes == 32 ? 2 : 1;
}

// A tile of a filter is for one block. Five of 8192 int32 are 160 KiB in flight
// on a multiprocessor, as in `compact`.
inline constexpr int kFilterThreads = 256;
inline constexpr int kFilterTile = 32 * kFilterThreads;
inline constexpr int kFilterBlocksPerMultiprocessor = 5;
// On the pipeline (backends/cuda/pipeline_stage.cuh).
inline constexpr std::int64_t kPipelinedTile = 8192;
inline constexpr int kPipelinedThreads = 608;
inline constexpr int kPipelinedSharedBytes = 192 << 10;

// Of the counter that tiles are drawn from, which has a line to itself, and of
// what a tile says about itself.
inline constexpr int kCounterBytes = 128;
inline constexpr int kFilterStatusBytes = 128;
inline constexpr int kPipelinedStatusBytes = 8;
// A flag beside every 32 bits of a state.
constexpr int ScanStatusBytes(int state_bytes) { return 2 * state_bytes; }
// Tiles of a scan that make up a group, which has a status, too.
inline constexpr int kScanGroup = 32;
// Before the flags of statuses repeat.
inline constexpr std::int64_t kEpochsOfStatuses = std::int64_t{1} << 30;

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_SHAPES_H_
