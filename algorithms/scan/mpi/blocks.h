// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_MPI_BLOCKS_H_
#define CONCORD_ALGORITHMS_SCAN_MPI_BLOCKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/core/array.h"

namespace concord::scan {

// Elements of a block: they fit into a first-level cache, and into the shared
// memory of a few blocks of threads. A power of two, so that they are a node.
inline constexpr int kBlockLevel = 12;
inline constexpr std::int64_t kBlock = std::int64_t{1} << kBlockLevel;

// What a rank does with blocks of its stretch that follow each other, in the
// order of scan.h. Arrays are in the memory of what the rank computes on.
class Blocks {
 public:
  static constexpr char kName[] = "scan_blocks";

  virtual ~Blocks() = default;

  // What each block amounts to; all are whole.
  virtual absl::Status Total(ConstArrayView in, Scan::Op op,
                             ArrayView totals) = 0;

  // Scans each block after what precedes it. The last one may be shorter. `out`
  // may be `in`.
  virtual absl::Status Run(ConstArrayView in, ConstArrayView before,
                           ArrayView out, const Scan::Options& options) = 0;
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_MPI_BLOCKS_H_
