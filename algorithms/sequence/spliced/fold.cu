// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All elements combined by an operator that need not commute, in the order of
// algorithms/sequence/order.h. A thread goes through its row, in pieces of as
// many elements of each column as a sector of memory has words; what warps and
// blocks amount to is combined as in backends/cuda/ordered_fold.cuh.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/spliced/arguments.h"

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

// Of the elements [first, end), at least one.
__device__ __forceinline__ State
FoldElements(const spliced::Arguments& arguments, int64_t first, int64_t end) {
  State state;
  if (arguments.aligned != 0 && end - first == kFoldRow) {
    state = BegunAt(first);
    // Three pieces of a column of int32 are 96 bytes in flight for a thread.
#pragma unroll 3
    for (int k = spliced::kFoldGroup; k < kFoldRow; k += spliced::kFoldGroup) {
      Step(state, first + k);
    }
  } else {
    state = BegunWith(first);
#pragma unroll 1
    for (int64_t i = first + 1; i < end; ++i) StepOne(state, i);
  }
  return state;
}

// `chunks`: of each block.
extern "C" __global__ void __launch_bounds__(kFoldThreads,
                                             kFoldBlocksPerMultiprocessor)
    concord_fold(const __grid_constant__ spliced::Arguments arguments,
                 State* chunks) {
  const int64_t rows = DivideUp(arguments.end, kFoldRow);
  const int64_t block_row = int64_t{blockIdx.x} * kFoldThreads;
  const int64_t row = block_row + threadIdx.x;
  State state{};
  if (row < rows) {
    state = FoldElements(arguments, row * kFoldRow,
                         min((row + 1) * kFoldRow, arguments.end));
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
