// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a term by its atoms. Each block of threads has in shared memory the
// digits of every atom after 20 steps. Its warps take stretches of the result
// by turns: a warp goes down the tree of atoms to the one whose digits its
// stretch starts with, lists the atoms from there on, and writes their blocks
// (windows.cuh).

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/look_and_say/cuda/atoms.cuh"
#include "concord/algorithms/look_and_say/cuda/tree.cuh"
#include "concord/algorithms/look_and_say/cuda/windows.cuh"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// One block of so many threads on each multiprocessor, whose shared memory it
// takes.
inline constexpr int kAtomThreads = 1024;
inline constexpr int kAtomWarps = kAtomThreads / kWarpSize;

// What a warp writes at a time: long stretches, as it takes a microsecond or
// two to find out what a stretch starts with, but some for each warp, so that
// all end at about the same time.
inline constexpr int64_t kLeastStretch = int64_t{2} << 10;
inline constexpr int64_t kMostStretch = int64_t{16} << 10;
inline constexpr int64_t kStretchesOfWarp = 2;

// Shared memory, and behind it the table.
struct alignas(kVectorBytes) AtomSharedMemory {
  // Of each warp, the vector with a border that it puts together.
  AtomBytes joined[kAtomWarps];
  BlockList lists[kAtomWarps];
  ListedTops tops;
  // How many stretches the warps of this block have taken.
  uint32_t taken;
};
inline constexpr int64_t kTableAt =
    sizeof(AtomSharedMemory) + DeviceAtoms::kPadding;
static_assert(kTableAt % kVectorBytes == 0);

// Writes out[first, end), by a warp. Both are multiples of 16 or where the span
// ends. Element 0 of the wanted part is the span's first.
__device__ __forceinline__ void WriteStretch(const AtomTree& tree,
                                             const uint8_t* table,
                                             BlockList& list, AtomBytes& joined,
                                             const Span<uint8_t>& out,
                                             int64_t first, int64_t end) {
  while (first < end) {
    const int64_t position = max(first, out.begin) - out.begin;
    const int64_t listed =
        ListBlocks(tree, position, end - out.begin, first - out.begin, list) +
        out.begin;
    __syncwarp();
    // A list that is full has at least as many digits, and so goes on for at
    // least a vector.
    const auto count = static_cast<int32_t>(
        listed >= end ? end - first
                      : (listed - first) / kVectorBytes * kVectorBytes);
    WriteBlocks(table, list, joined, out, first, count);
    __syncwarp();
    first += count;
  }
}

// The tree with its tops in shared memory, where they came with the launch. All
// threads of a block call it, and synchronise before they use it.
__device__ __forceinline__ AtomTree TakeTops(AtomTree tree,
                                             const ListedTops& listed,
                                             ListedTops& tops) {
  if (listed.count == 0) return tree;
  const auto i = static_cast<int32_t>(threadIdx.x);
  if (i < listed.count) {
    tops.ends[i] = listed.ends[i];
    tops.products[i] = listed.products[i];
    tops.blocks[i] = listed.blocks[i];
  }
  tree.tops.ends = tops.ends;
  tree.tops.products = tops.products;
  tree.tops.blocks = tops.blocks;
  return tree;
}

// The stretches of a result, of which there are so many.
struct AllStretches {
  int64_t stretches;

  __device__ int64_t count() const { return stretches; }
  __device__ int64_t operator()(int64_t i) const { return i; }
};

// Blocks take the stretches in turn, one each; the warps of a block whenever
// they are ready for one. They start at multiples of their length in memory
// that is aligned. `Stretches` is AllStretches, or says like it how many there
// are and which.
template <bool kTableInShared, typename Stretches>
__global__ void __launch_bounds__(kAtomThreads, 1)
    WriteStretches(AtomTree sent, const __grid_constant__ ListedTops listed,
                   Span<uint8_t> out, int64_t stretch,
                   const __grid_constant__ Stretches stretches) {
  extern __shared__ __align__(kVectorBytes) uint8_t bytes[];
  auto& shared = *reinterpret_cast<AtomSharedMemory*>(bytes);
  if (threadIdx.x == 0) shared.taken = 0;
  const AtomTree tree = TakeTops(sent, listed, shared.tops);
  const uint8_t* table = tree.table;
  if constexpr (kTableInShared) {
    auto* const to = reinterpret_cast<AtomBytes*>(bytes + kTableAt);
    const Span<const uint8_t> from = {tree.table, 0, tree.table_size};
    for (int32_t i = threadIdx.x; i < tree.table_size / kVectorBytes;
         i += kAtomThreads) {
      CopyVectorAsync(to + i, from, int64_t{i} * kVectorBytes);
    }
    WaitForCopies();
    table = bytes + kTableAt;
  }
  __syncthreads();
  BlockList& list = shared.lists[WarpId()];
  AtomBytes& joined = shared.joined[WarpId()];
  for (;;) {
    const uint32_t turn = LaneId() == 0 ? atomicAdd(&shared.taken, 1) : 0;
    const int64_t number =
        int64_t{ShuffleFrom(turn, 0)} * gridDim.x + blockIdx.x;
    if (number >= stretches.count()) break;
    const int64_t first = stretches(number) * stretch;
    WriteStretch(tree, table, list, joined, out, first,
                 min(first + stretch, out.end));
  }
}

// How long stretches of a result are, of which the last vector ends at `end`,
// for so many blocks.
inline int64_t StretchFor(int64_t end, int64_t blocks) {
  int64_t stretch = kMostStretch;
  while (stretch > kLeastStretch &&
         stretch * kStretchesOfWarp * kAtomWarps * blocks > end) {
    stretch /= 2;
  }
  return stretch;
}

// The atoms with either kind of counts, which plans are made of.
class AtomTables {
 public:
  AtomTable& Of(LookAndSay::Counts counts) {
    return counts == LookAndSay::Counts::kDecimal ? decimal_ : symbol_;
  }

 private:
  AtomTable decimal_{LookAndSay::Counts::kDecimal};
  AtomTable symbol_{LookAndSay::Counts::kSymbol};
};

// OutOfRange or InvalidArgument: there is no such part, or `out` has another
// size.
inline absl::Status CheckWanted(const LookAndSayPlan& plan,
                                const ArrayView& out,
                                const LookAndSay::Options& options) {
  RETURN_IF_ERROR(CheckPart(plan.length(), options));
  return CheckSize("out", out, PartOf(plan.length(), options));
}

// Writes terms, or stretches of them, on one device, which keeps the tables
// that it takes. `tables` outlive it.
class AtomWriter {
 public:
  AtomWriter(const std::shared_ptr<CudaBackend>& backend, AtomTables& tables)
      : backend_(backend),
        room_(backend->max_shared_memory_per_block() - kTableAt -
              DeviceAtoms::kPadding),
        decimal_(backend, tables.Of(LookAndSay::Counts::kDecimal), room_),
        symbol_(backend, tables.Of(LookAndSay::Counts::kSymbol), room_) {}

  // Queues the given stretches of `out`, which is not empty and starts with the
  // wanted part of the plan's term, for so many blocks. `name` is for errors.
  template <typename Stretches>
  absl::Status Write(const LookAndSayPlan& plan,
                     const LookAndSay::Options& options, ArrayView out,
                     int64_t stretch, const Stretches& stretches,
                     int64_t blocks, absl::string_view name) {
    DeviceAtoms& atoms =
        options.counts == LookAndSay::Counts::kDecimal ? decimal_ : symbol_;
    ListedTops tops;
    ASSIGN_OR_RETURN(const AtomTree tree,
                     atoms.TreeFor(plan, options.from, out.size(), tops));
    const Span<uint8_t> span = AlignedSpan(out.data<uint8_t>(), out.size());
    if (tree.table_size <= room_ + DeviceAtoms::kPadding) {
      return QueueKernel(*backend_, name, WriteStretches<true, Stretches>,
                         {blocks, kAtomThreads, kTableAt + tree.table_size},
                         tree, tops, span, stretch, stretches);
    }
    return QueueKernel(
        *backend_, name, WriteStretches<false, Stretches>,
        {blocks, kAtomThreads, static_cast<int64_t>(sizeof(AtomSharedMemory))},
        tree, tops, span, stretch, stretches);
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  // For the table of blocks in shared memory.
  const int64_t room_;
  DeviceAtoms decimal_;
  DeviceAtoms symbol_;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_
