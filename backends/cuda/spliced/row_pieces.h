// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_ROW_PIECES_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_ROW_PIECES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"
#include "concord/core/expression/value_type.h"

namespace concord::spliced {

// How rows of columns come through shared memory. A thread goes through a row
// of its own, and if it read that from global memory, neighbouring threads
// would read far from each other. So a warp brings a piece of each of its rows,
// 16 bytes after 16 bytes, and then every thread reads its piece: the elements
// of the first column, those of the second one, and so on.
struct RowPieces {
  // Of a piece, a power of two.
  int elements = kFoldRow;
  // From one thread's piece to the next one's. An odd number of 16 bytes, so
  // that eight threads that read 16 bytes each do not meet in the same banks.
  int stride_bytes = 0;
  // In a piece, where the elements of each column begin.
  std::vector<int> offsets = {};

  static RowPieces Of(absl::Span<const expression::Type> columns);

  // Whether a block has room for a piece of each of its threads.
  bool fit() const { return stride_bytes <= kMostBytes; }

 private:
  // 164 KiB for a block of 128 threads.
  static constexpr int kMostBytes = 1312;
};

// What brings pieces into shared memory, by instructions that do not wait.
// `operands`, registers all of them: the warp's first piece in shared memory,
// the element with which the piece of its first row begins, the lane, and how
// many rows there are; other lanes' pieces stay as they are.
void EmitFetch(PtxWriter& ptx, absl::Span<const expression::Type> columns,
               const std::string& kernel_arguments,
               absl::Span<const std::string> operands);

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_ROW_PIECES_H_
