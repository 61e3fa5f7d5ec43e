// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels that interpret functions, for those who launch them: one for each
// frame, with words of 32 or of 64 bits.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

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
static_assert(machine::kLanes<std::uint32_t> * 4 == kSlotBytes &&
              machine::kLanes<std::uint64_t> * 8 == kSlotBytes);

// A reduction by a built-in operator, in the tree of reduce.h.
struct TreeCall {
  // Leave what is to be combined in the accumulator.
  const machine::Step* steps;
  machine::Code combine;
  std::uint64_t identity;
  // Whether elements have 8 bytes; else the tree is that of 4.
  bool wide_elements;
  // Whether the result depends on the order.
  bool ordered;
  // Of each segment, a multiple of 4; as many as the definition says where the
  // order matters.
  int rows;
  // A word of W for each chunk, then of the levels above; the last one is the
  // result.
  void* chunks;
};

// The states of rows of 128 elements go to the outputs, an element for each
// row.
struct FoldCall {
  // Put the first element of each row into the state, and each further one. The
  // state is in the first slots.
  const machine::Step* begin;
  const machine::Step* step;
  int values;
  expression::Type types[expression::kMostParameters];
};

struct FilterCall {
  // Leaves whether to keep an element in the accumulator.
  const machine::Step* keep;
  // Stores what is kept.
  const machine::Step* values;
  // A bit for each lane of each thread of each block; then what each block
  // keeps, and where that begins.
  std::uint16_t* kept;
  std::int64_t* counts;
  const std::int64_t* starts;
};

// Elements that a block takes at a time.
constexpr std::int64_t TileOf(bool wide, int threads) {
  return std::int64_t{threads} * (wide ? machine::kLanes<std::uint64_t>
                                       : machine::kLanes<std::uint32_t>);
}
// Threads of a block of a tree: those of one chunk of segments.
int TreeThreads();
std::int64_t TreeChunk(const TreeCall& call);

absl::Status LaunchMap(const CudaBackend& backend, bool wide,
                       const machine::Arrays& arrays,
                       const machine::Step* steps, const SlotRoom& room);
// Also queues what combines the chunks.
absl::Status LaunchTree(const CudaBackend& backend, bool wide,
                        const machine::Arrays& arrays, const TreeCall& call,
                        const SlotRoom& room);
absl::Status LaunchFoldRows(const CudaBackend& backend, bool wide,
                            const machine::Arrays& arrays, const FoldCall& call,
                            const SlotRoom& room);
absl::Status LaunchFilterCount(const CudaBackend& backend, bool wide,
                               const machine::Arrays& arrays,
                               const FilterCall& call, const SlotRoom& room);
absl::Status LaunchFilterPut(const CudaBackend& backend, bool wide,
                             const machine::Arrays& arrays,
                             const FilterCall& call, const SlotRoom& room);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_KERNELS_H_
