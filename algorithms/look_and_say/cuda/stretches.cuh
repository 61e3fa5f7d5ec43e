// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a term by lists of blocks (lists.cuh). Each block of threads has in
// shared memory the digits of every atom after 20 steps. Its warps write
// stretches of the result (windows.cuh), each every so many of them, so that
// all write near each other, and know ahead what they read.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/look_and_say/cuda/atoms.cuh"
#include "concord/algorithms/look_and_say/cuda/lists.cuh"
#include "concord/algorithms/look_and_say/cuda/same_input.cuh"
#include "concord/algorithms/look_and_say/cuda/windows.cuh"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/cache_policy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// One block of so many threads on each multiprocessor, whose shared memory it
// takes.
inline constexpr int kAtomThreads = 1024;
inline constexpr int kAtomWarps = kAtomThreads / kWarpSize;

// What a warp writes at a time. Short stretches keep those that are written at
// a time close together; there are to be some for each warp, so that all end at
// about the same time.
inline constexpr int64_t kLeastStretch = int64_t{2} << 10;
inline constexpr int64_t kMostStretch = int64_t{4} << 10;
inline constexpr int64_t kStretchesOfWarp = 2;

// Shared memory, and behind it the table.
struct alignas(kVectorBytes) AtomSharedMemory {
  // Of each warp, the vector with a border that it puts together.
  AtomBytes joined[kAtomWarps];
  ListedTops tops;
};
inline constexpr int64_t kTableAt =
    sizeof(AtomSharedMemory) + DeviceAtoms::kPadding;
static_assert(kTableAt % kVectorBytes == 0);

// What this lane's part of the list from `place` on starts with.
__device__ __forceinline__ ListedBlock BlockAt(const AtomLists& lists,
                                               ListPlace place) {
  return LoadToStay(&lists.blocks[place.block + LaneId()]);
}

// Writes out[first, end), by a warp. Both are multiples of 16 or where the span
// ends. Element 0 of the wanted part is the span's first. `place` is of its
// first digit, and `ahead` what is at it.
__device__ __forceinline__ void WriteStretch(const AtomLists& lists,
                                             const uint8_t* table,
                                             ListPlace place, ListedBlock ahead,
                                             AtomBytes& joined,
                                             const Span<uint8_t>& out,
                                             int64_t first, int64_t end) {
  for (;;) {
    const int64_t position = max(first, out.begin);
    const LaneBlock mine =
        ReadBlocks(lists, place, ahead, first - out.begin, end - first);
    // The last block of a whole warp says where the one before it ends.
    const int32_t listed = ShuffleFrom(mine.start, kWarpSize - 1);
    int lane = kWarpSize - 1;
    if (listed > position - first) {
      const auto count = static_cast<int32_t>(
          listed >= end - first ? end - first
                                : listed / kVectorBytes * kVectorBytes);
      const auto lane_of = [&](int64_t digit) {
        return 31 - __clz(static_cast<int>(
                        __ballot_sync(kWholeWarp, mine.start <= digit)));
      };
      WriteBlocks(table, mine, lane_of(position - first), joined, out, first,
                  count);
      first += count;
      if (first >= end) return;
      lane = lane_of(count);
    }
    place = {ShuffleFrom(mine.place.top, lane),
             ShuffleFrom(mine.place.block, lane)};
    ahead = BlockAt(lists, place);
  }
}

// The lists with their tops in shared memory, where they came with the launch.
// All threads of a block call it, and synchronise before they use it.
__device__ __forceinline__ AtomLists TakeTops(AtomLists lists,
                                              const ListedTops& listed,
                                              ListedTops& tops) {
  if (listed.count == 0) return lists;
  const auto i = static_cast<int32_t>(threadIdx.x);
  if (i < listed.count) {
    tops.ends[i] = listed.ends[i];
    tops.lists[i] = listed.lists[i];
  }
  lists.tops.ends = tops.ends;
  lists.tops.lists = tops.lists;
  return lists;
}

// The stretches of a result, of which there are so many.
struct AllStretches {
  int64_t stretches;

  __device__ int64_t count() const { return stretches; }
  __device__ int64_t operator()(int64_t i) const { return i; }
};

// Warps take the stretches in turn, if the guess is right. They start at
// multiples of their length in memory that is aligned. `Stretches` is
// AllStretches, or says like it how many there are and which.
template <bool kTableInShared, typename Stretches>
__global__ void __launch_bounds__(kAtomThreads, 1)
    WriteStretches(AtomLists sent, const __grid_constant__ ListedTops listed,
                   const __grid_constant__ InputGuess guess, Span<uint8_t> out,
                   int64_t stretch,
                   const __grid_constant__ Stretches stretches) {
  extern __shared__ __align__(kVectorBytes) uint8_t bytes[];
  auto& shared = *reinterpret_cast<AtomSharedMemory*>(bytes);
  LetNextGridStart();
  const AtomLists lists = TakeTops(sent, listed, shared.tops);
  const uint8_t* table = lists.table;
  if constexpr (kTableInShared) {
    auto* const to = reinterpret_cast<AtomBytes*>(bytes + kTableAt);
    const Span<const uint8_t> from = {lists.table, 0, lists.table_size};
    for (int32_t i = threadIdx.x; i < lists.table_size / kVectorBytes;
         i += kAtomThreads) {
      CopyVectorAsync(to + i, from, int64_t{i} * kVectorBytes);
    }
    table = bytes + kTableAt;
  }
  __syncthreads();

  const int64_t count = stretches.count();
  const int64_t step = int64_t{gridDim.x} * kAtomWarps;
  int64_t turn = int64_t{WarpId()} * gridDim.x + blockIdx.x;
  // Each lane looks for one of the next stretches; warps do so at different
  // times.
  int slot = WarpId() % kWarpSize;
  ListPlace places{};
  const auto look_ahead = [&] {
    const int64_t own = turn + (LaneId() - slot) * step;
    if (LaneId() < slot || own >= count) return;
    const int64_t first = stretches(own) * stretch;
    places = FindPlace(lists, max(first, out.begin) - out.begin);
  };
  const auto place_of = [&](int lane) {
    return ListPlace{ShuffleFrom(places.top, lane),
                     ShuffleFrom(places.block, lane)};
  };
  look_ahead();
  ListedBlock ahead{};
  if (turn < count) ahead = BlockAt(lists, place_of(slot));
  if constexpr (kTableInShared) WaitForCopies();
  WaitForGridBefore();
  if (!IsRight(guess)) return;
  while (turn < count) {
    const int64_t first = stretches(turn) * stretch;
    const ListPlace place = place_of(slot);
    const ListedBlock here = ahead;
    turn += step;
    slot = (slot + 1) % kWarpSize;
    if (slot == 0) look_ahead();
    if (turn < count) ahead = BlockAt(lists, place_of(slot));
    WriteStretch(lists, table, place, here, shared.joined[WarpId()], out, first,
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
        symbol_(backend, tables.Of(LookAndSay::Counts::kSymbol), room_),
        launcher_(backend) {}

  // Sends what it takes to write so many digits of the plan's term.
  absl::Status Send(const LookAndSayPlan& plan,
                    const LookAndSay::Options& options, int64_t size) {
    DeviceAtoms& atoms =
        options.counts == LookAndSay::Counts::kDecimal ? decimal_ : symbol_;
    ASSIGN_OR_RETURN(lists_, atoms.ListsFor(plan, options.from, size, tops_));
    return absl::OkStatus();
  }

  // Queues the given stretches of `out`, which is not empty and starts with the
  // wanted part of the term that was sent last, for so many blocks. `name` is
  // for errors.
  template <typename Stretches>
  absl::Status Write(const InputGuess& guess, ArrayView out, int64_t stretch,
                     const Stretches& stretches, int64_t blocks,
                     absl::string_view name) {
    const Span<uint8_t> span = AlignedSpan(out.data<uint8_t>(), out.size());
    const int64_t table_size = lists_.table_size;
    const bool has_room = table_size <= room_ + DeviceAtoms::kPadding;
    const auto kernel = has_room ? WriteStretches<true, Stretches>
                                 : WriteStretches<false, Stretches>;
    const LaunchShape shape = {
        blocks, kAtomThreads,
        has_room ? kTableAt + table_size
                 : static_cast<int64_t>(sizeof(AtomSharedMemory))};
    // What was sent has been there since the call before where there is a
    // guess, and only then may be read before the grid before has ended.
    if (guess.answer != nullptr) {
      return launcher_.Queue(name, kernel, shape, lists_, tops_, guess, span,
                             stretch, stretches);
    }
    return QueueKernel(*backend_, name, kernel, shape, lists_, tops_, guess,
                       span, stretch, stretches);
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  // For the table of blocks in shared memory.
  const int64_t room_;
  DeviceAtoms decimal_;
  DeviceAtoms symbol_;
  DependentLauncher launcher_;
  // Of the term that was sent last.
  AtomLists lists_ = {};
  ListedTops tops_ = {};
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STRETCHES_CUH_
