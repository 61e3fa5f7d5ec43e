// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All elements combined by an operator that need not commute, in the order of
// algorithms/sequence/order.h. A thread goes through its row, which its warp
// has brought into shared memory; what warps and blocks amount to is combined
// as in backends/cuda/ordered_fold.cuh.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

static_assert(kFoldBlockRows == kFoldThreads);

// What CombineBlock and CombineInGroups ask for.
struct StateFold {
  using Value = State;
  __device__ __forceinline__ static State Combine(const State& a,
                                                  const State& b) {
    return Combined(a, b);
  }
};

// Of a row for each lane, of which the first `rows` are there and whole, at
// least one; the first one's elements begin with `first`. `piece`: elements of
// a row that are in shared memory at a time, `stride` bytes from the next
// row's.
__device__ __forceinline__ State FoldRows(int64_t first, int rows, int piece,
                                          int stride) {
  extern __shared__ uint4 fold_pieces[];
  const auto of_block =
      static_cast<uint32_t>(__cvta_generic_to_shared(fold_pieces));
  const uint32_t pieces = of_block + WarpId() * kWarpSize * stride;
  const uint32_t of_lane = pieces + LaneId() * stride;
  int64_t element = first + LaneId() * spliced::kFoldRow;
  State state{};
#pragma unroll 1
  for (int k = 0; k < spliced::kFoldRow; k += piece) {
    __syncwarp();  // the pieces before have been read
    FetchPieces(pieces, first + k, LaneId(), rows);
    WaitForCopies();
    __syncwarp();
    if (LaneId() >= rows) continue;
    int at = 0;
    if (k == 0) {
      state = BegunAt(of_lane, at, element);
      at = spliced::kFoldGroup;
      element += spliced::kFoldGroup;
    }
#pragma unroll 1
    for (; at < piece; at += spliced::kFoldGroup) {
      Step(state, of_lane, at, element);
      element += spliced::kFoldGroup;
    }
  }
  return state;
}

// Of the elements [first, end), at least one.
__device__ __forceinline__ State FoldElements(int64_t first, int64_t end) {
  State state = BegunWith(first);
#pragma unroll 1
  for (int64_t i = first + 1; i < end; ++i) StepOne(state, i);
  return state;
}

// `chunks`: of each block. `piece` and `stride` are those of FoldRows.
extern "C" __global__ void __launch_bounds__(kFoldThreads,
                                             kFoldBlocksPerMultiprocessor)
    concord_fold(const __grid_constant__ spliced::Arguments arguments,
                 int piece, int stride, State* chunks) {
  const int64_t rows = DivideUp(arguments.end, spliced::kFoldRow);
  const int64_t block_row = int64_t{blockIdx.x} * kFoldThreads;
  const int64_t row = block_row + threadIdx.x;
  // Of this warp. Vectors need columns that are aligned.
  int whole = 0;
  if (arguments.aligned != 0) {
    const int64_t first_row = row - LaneId();
    whole = static_cast<int>(
        min(arguments.end / spliced::kFoldRow - first_row, int64_t{kWarpSize}));
  }
  State state{};
  if (whole > 0) {
    state =
        FoldRows((row - LaneId()) * spliced::kFoldRow, whole, piece, stride);
  }
  if (LaneId() >= whole && row < rows) {
    state = FoldElements(row * spliced::kFoldRow,
                         min((row + 1) * spliced::kFoldRow, arguments.end));
  }
  state = CombineBlock<StateFold>(
      state, static_cast<int>(min(rows - block_row, int64_t{kFoldThreads})));
  if (threadIdx.x == 0) chunks[blockIdx.x] = state;
}

// A block for each group of `count` chunks.
extern "C" __global__ void __launch_bounds__(kFoldThreads)
    concord_fold_combine(const __grid_constant__ spliced::Arguments arguments,
                         unsigned count, const State* chunks, State* groups,
                         unsigned* arrivals) {
  State state{};
  if (CombineInGroups<StateFold>(
          state, [chunks](unsigned i) { return chunks[i]; }, count, groups,
          arrivals) &&
      threadIdx.x == 0) {
    StoreResults(state);
  }
}

}  // namespace concord::sequence
