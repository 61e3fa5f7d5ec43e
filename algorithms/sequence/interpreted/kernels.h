// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels that interpret functions, for those who launch them: one for each
// frame, with words of 32 or of 64 bits.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/interpreter/machine.h"

namespace concord::sequence {

// Where slots are, and with how many threads of a block. A slot is 64 bytes of
// each thread, whatever the words.
struct SlotRoom {
  int slots;
  int threads;
  // Of the grid, in global memory; null where they are in shared memory. Then
  // there are no more than `blocks`.
  void* global;
  std::int64_t blocks;
};

inline constexpr int kSlotBytes = 64;
static_assert(interpreter::kLanes<std::uint32_t> * 4 == kSlotBytes &&
              interpreter::kLanes<std::uint64_t> * 8 == kSlotBytes);

// A reduction by a built-in operator, in the tree of reduce.h.
struct TreeCall {
  // Puts the combined elements of each lane into slot 0.
  const interpreter::Step* steps;
  interpreter::Code combine;
  std::uint64_t identity;
  // Whether elements have 8 bytes; else the tree is that of 4.
  bool wide_elements;
  // Whether the result depends on the order.
  bool ordered;
  // Of each segment; as many as the definition says where the order matters.
  int rows;
  // A word of W for each chunk, then of the levels above; the last one is the
  // result.
  void* chunks;
};

struct FoldCall {
  // Put the first element of each row into the state, and each further one.
  const interpreter::Step* begin;
  const interpreter::Step* step;
  // Stores the state as element `row` of arrays of their own.
  const interpreter::Step* store;
  interpreter::Arrays rows;
};

struct FilterCall {
  // Puts whether to keep an element into slot 0.
  const interpreter::Step* keep;
  // Stores what is kept at the places in slot 1.
  const interpreter::Step* values;
  // Of each block: what it keeps, and where that begins.
  std::int64_t* counts;
  const std::int64_t* starts;
};

// Elements that a block takes at a time.
constexpr std::int64_t TileOf(bool wide, int threads) {
  return std::int64_t{threads} * (wide ? interpreter::kLanes<std::uint64_t>
                                       : interpreter::kLanes<std::uint32_t>);
}
// Threads of a block of a tree: those of one chunk of segments.
int TreeThreads(bool wide, bool wide_elements);
std::int64_t TreeChunk(const TreeCall& call);

absl::Status LaunchMap(const CudaBackend& backend, bool wide,
                       const interpreter::Arrays& arrays,
                       const interpreter::Step* steps, const SlotRoom& room);
// Also queues what combines the chunks.
absl::Status LaunchTree(const CudaBackend& backend, bool wide,
                        const interpreter::Arrays& arrays, const TreeCall& call,
                        const SlotRoom& room);
absl::Status LaunchFoldRows(const CudaBackend& backend, bool wide,
                            const interpreter::Arrays& arrays,
                            const FoldCall& call, const SlotRoom& room);
absl::Status LaunchFilterCount(const CudaBackend& backend, bool wide,
                               const interpreter::Arrays& arrays,
                               const FilterCall& call, const SlotRoom& room);
absl::Status LaunchFilterPut(const CudaBackend& backend, bool wide,
                             const interpreter::Arrays& arrays,
                             const FilterCall& call, const SlotRoom& room);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_
